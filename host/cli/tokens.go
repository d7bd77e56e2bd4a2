package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
)

func tokensCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "tokens",
		GroupID: "setup",
		Short:   "List, create, revoke and rotate API tokens",
		Long: `There are four kinds of tokens. check: checks the calls of one agent. integrator: checks
calls of any agent and is trusted about their context. approver: reads and answers asks,
reads rules, sessions and the audit log; checks nothing. admin: everything. The daemon
stores only hashes, so a secret is shown once.`,
		Example: "  callgate tokens list\n  callgate tokens create --kind approver --name ann --out ann.token",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(tokensList(c), tokensCreate(c, &by), tokensRevoke(c, &by), tokensRotate(c, &by))
	return cmd
}

func tokensList(c *cli) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the tokens (without their secrets)",
		Example: "  callgate tokens list --all\n  callgate tokens list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				tokens, err := client.Tokens(cmd.Context())
				if err != nil {
					return err
				}
				shown := []store.Token{}
				for _, t := range tokens {
					if all || t.RevokedAt.IsZero() {
						shown = append(shown, t)
					}
				}
				return c.print(cmd.OutOrStdout(), shown, func(w io.Writer) { printTokens(w, shown, time.Now()) })
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include revoked tokens")
	return cmd
}

func printTokens(w io.Writer, tokens []store.Token, now time.Time) {
	rows := [][]string{{"token", "kind", "agent", "created", "last used", "state"}}
	for _, t := range tokens {
		rows = append(rows, []string{card.Line(t.Name), string(t.Kind), dash(card.Line(t.Agent)), t.CreatedAt.Local().Format(time.DateTime),
			when(t.LastUsedAt), tokenState(t, now)})
	}
	fmt.Fprint(w, table(rows))
}

// tokenState is a token's state in words.
func tokenState(t store.Token, now time.Time) string {
	switch {
	case !t.RevokedAt.IsZero():
		return "revoked " + when(t.RevokedAt)
	case t.Refused:
		return "disabled: changed outside Callgate. Replace it: callgate tokens rotate " + card.Line(t.Name)
	case !t.Usable(now):
		return "expired " + when(t.ExpiresAt)
	case !t.ExpiresAt.IsZero():
		return "until " + when(t.ExpiresAt)
	}
	return "active"
}

func when(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func tokensCreate(c *cli, by *string) *cobra.Command {
	var n view.NewToken
	var expires, out string
	cmd := &cobra.Command{
		Use:     "create --kind KIND --name NAME",
		Short:   "Create a token and show its secret once",
		Example: "  callgate tokens create --kind integrator --name ci --expires 90d --out ci.token",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if expires != "" {
				life, err := lifetime(expires)
				if err != nil {
					return usageError(cmd, fmt.Errorf("--expires: %w", err))
				}
				n.ExpiresAt = time.Now().Add(life)
			}
			// An impossible token is not worth a PIN.
			if !slices.Contains(store.TokenKinds(), n.Kind) {
				return usageError(cmd, fmt.Errorf("--kind %q: want check, approver, admin or integrator", n.Kind))
			}
			return c.tell(cmd, out, func(client *client.Client) (view.MadeToken, error) {
				return client.CreateToken(cmd.Context(), *by, n)
			})
		},
	}
	cmd.Flags().StringVar((*string)(&n.Kind), "kind", "", "check, approver, admin or integrator")
	cmd.Flags().StringVar(&n.Name, "name", "", "name of the token in lists and in the audit log; a check token has its agent's name")
	cmd.Flags().StringVar(&n.Agent, "agent", "", "agent of a check token")
	cmd.Flags().StringVar(&expires, "expires", "", "how long it is valid, such as 12h or 90d (default: until revoked)")
	outFlag(cmd, &out)
	completeFlag(cmd, "kind", words("check", "approver", "admin", "integrator"))
	completeFlag(cmd, "agent", c.completeAgents())
	return cmd
}

// lifetime reads a duration, in days as well.
func lifetime(text string) (time.Duration, error) {
	life, err := time.ParseDuration(text)
	if days, found := strings.CutSuffix(text, "d"); found {
		var n int
		n, err = strconv.Atoi(days)
		life = time.Duration(n) * 24 * time.Hour
		if n > 36500 {
			err = errors.New("too long")
		}
	}
	if err != nil || life <= 0 {
		return 0, fmt.Errorf("%q: want a duration such as 12h or 90d", text)
	}
	return life, nil
}

func outFlag(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", "", "write the secret to this new file (mode 0600) instead of showing it")
}

// tell makes a token and writes its secret: to the screen, or to a new file, made first, so a file
// error cannot lose the secret.
func (c *cli) tell(cmd *cobra.Command, out string, do func(*client.Client) (view.MadeToken, error)) error {
	return c.withClient("", func(client *client.Client) (err error) {
		write := func(string) error { return nil }
		if out != "" {
			f, err := os.OpenFile(out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			if err != nil {
				return fmt.Errorf("write the secret: %w", err)
			}
			write = func(secret string) error {
				if secret == "" {
					return errors.Join(f.Close(), os.Remove(out)) // nothing was made
				}
				_, err := f.WriteString(secret + "\n")
				return errors.Join(err, f.Sync(), f.Close())
			}
		}
		made, err := do(client)
		if err := errors.Join(err, write(made.Secret)); err != nil {
			return seeAlso(err, "callgate tokens list")
		}
		if out != "" {
			made.Secret = ""
		}
		return c.print(cmd.OutOrStdout(), made, func(w io.Writer) { printMade(w, made, out) })
	})
}

func printMade(w io.Writer, made view.MadeToken, out string) {
	fmt.Fprintf(w, "token %s, kind %s\n", card.Line(made.Token.Name), made.Token.Kind)
	if made.File != "" {
		fmt.Fprintf(w, "file: %s\n", made.File)
	}
	if out != "" {
		fmt.Fprintf(w, "written to %s\n", out)
		return
	}
	fmt.Fprintf(w, "secret (shown only once):\n%s\n", made.Secret)
}

func tokensRotate(c *cli, by *string) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "rotate NAME",
		Short: "Replace the secret of a token; the old one stops working at once",
		Long: `Creates a new secret for a token. The old one stops working at once. The files in the
daemon's state directory (agents/NAME.token, admin.token) are updated; replace copies
elsewhere by hand.`,
		Example:           "  callgate tokens rotate check:default",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeTokens()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.tell(cmd, out, func(client *client.Client) (view.MadeToken, error) {
				return client.RotateToken(cmd.Context(), *by, args[0])
			})
		},
	}
	outFlag(cmd, &out)
	return cmd
}

func tokensRevoke(c *cli, by *string) *cobra.Command {
	return &cobra.Command{
		Use:               "revoke NAME",
		Short:             "Revoke a token at once",
		Example:           "  callgate tokens revoke ann",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeTokens()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				gone, err := client.RevokeToken(cmd.Context(), *by, args[0])
				if err != nil {
					return seeAlso(err, "callgate tokens list")
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) { fmt.Fprintf(w, "revoked %s\n", card.Line(gone.Name)) })
			})
		},
	}
}
