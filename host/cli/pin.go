package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

func pinCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pin",
		GroupID: "people",
		Short:   "Set and enter the approver PIN, required for approvals on this machine",
		Long: `The approver PIN proves that a person is present. Everything that lets agents do more
(approvals, allow rules, looser modes, resuming, tokens, configuration) requires the PIN,
typed on the same terminal within the last 15 minutes. Denying and tightening never do.
Commands that need the PIN prompt for it.

Five wrong attempts in a row lock it. To recover, run callgate pin reset: it takes effect
after one hour, and anyone who knows the PIN can cancel it until then. For root it takes
effect at once if no agent can be root: the daemon runs as another account, or
boundary.agent_accounts names the agents' accounts. Otherwise root waits as well, because
an agent running as root could reset the PIN.`,
		Example: "  callgate pin set\n  callgate pin status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(
		c.pinDo("status", "Show PIN status", func(ctx context.Context, client *client.Client) (view.Presence, error) {
			return client.Presence(ctx)
		}),
		c.pinDo("set", "Choose the first PIN", func(ctx context.Context, client *client.Client) (view.Presence, error) {
			return choosePIN(ctx, client, by, false)
		}),
		c.pinDo("change", "Change the PIN; requires the current one", func(ctx context.Context, client *client.Client) (view.Presence, error) {
			return choosePIN(ctx, client, by, true)
		}),
		c.pinDo("unlock", "Enter the PIN now: unlocks this terminal for 15 minutes", func(ctx context.Context, client *client.Client) (view.Presence, error) {
			if view, err := client.Presence(ctx); err != nil || !view.Set || view.Locked {
				return view, unusable(view, err)
			}
			p, err := atTerminal()
			if err != nil {
				return view.Presence{}, err
			}
			defer p.close()
			if err := unlockAt(ctx, client, p); err != nil {
				return view.Presence{}, err
			}
			return client.Presence(ctx)
		}),
		c.pinDo("lock", "Lock this terminal again", func(ctx context.Context, client *client.Client) (view.Presence, error) {
			if err := client.LockPresence(ctx); err != nil {
				return view.Presence{}, err
			}
			return client.Presence(ctx)
		}),
		pinReset(c, &by),
	)
	return cmd
}

// pinDo is a sub-command doing one thing; it then prints the PIN's state.
func (c *cli) pinDo(name, short string, do func(context.Context, *client.Client) (view.Presence, error)) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: fmt.Sprintf("  callgate pin %[1]s\n  callgate pin %[1]s --json", name),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				view, err := do(cmd.Context(), client)
				if err != nil {
					return err
				}
				view.Ticket = "" // it stands for the PIN, and ends with this process's client
				return c.print(cmd.OutOrStdout(), view, func(w io.Writer) { printPresence(w, view) })
			})
		},
	}
}

// rootWaits tells root why a reset does not take effect at once.
const rootWaits = "For root it takes effect at once only over the daemon's socket, and only if no agent can be root: the daemon runs as another account, or boundary.agent_accounts names the agents' accounts. Neither is the case here."

func pinReset(c *cli, by *string) *cobra.Command {
	var cancel bool
	cmd := c.pinDo("reset", "Remove a forgotten or locked PIN after one hour; at once for root if no agent can be root", func(ctx context.Context, client *client.Client) (view.Presence, error) {
		if cancel {
			return client.ResetPIN(ctx, *by, true)
		}
		p, err := atTerminal()
		if err != nil {
			return view.Presence{}, err
		}
		defer p.close()
		typed, err := p.line(ctx, "The old PIN will stop working. Type reset to continue: ")
		if err != nil {
			return view.Presence{}, err
		}
		if typed != "reset" {
			return view.Presence{}, errors.New("nothing was changed")
		}
		view, err := client.ResetPIN(ctx, *by, false)
		if err == nil && os.Geteuid() == 0 && !view.ResetAt.IsZero() {
			fmt.Fprintln(p.screen, rootWaits)
		}
		return view, err
	})
	cmd.Flags().BoolVar(&cancel, "cancel", false, "cancel a pending reset")
	return cmd
}

// choosePIN asks for a PIN twice, and first for the present one.
func choosePIN(ctx context.Context, client *client.Client, by string, change bool) (view.Presence, error) {
	view, err := client.Presence(ctx)
	if err != nil {
		return view, err
	}
	switch {
	case change && view.Locked:
		return view, unusable(view, nil)
	case change && !view.Set:
		return view, errors.New("no PIN is set; set one first: callgate pin set")
	case !change && view.Set:
		return view, errors.New("a PIN is already set; to change it: callgate pin change (if it is forgotten: callgate pin reset)")
	}
	p, err := atTerminal()
	if err != nil {
		return view, err
	}
	defer p.close()
	old := ""
	if change {
		if old, err = p.secret(ctx, "Current approver PIN: "); err != nil {
			return view, err
		}
	}
	typed, err := newPIN(1, func(prompt string) (string, error) { return p.secret(ctx, prompt) })
	if err != nil {
		return view, err
	}
	return client.SetPIN(ctx, by, old, typed)
}

// unusable is why a PIN is not even asked for.
func unusable(v view.Presence, err error) error {
	if err != nil {
		return err
	}
	return errors.New(v.Why)
}

// newPIN has a PIN chosen and typed again, in at most so many tries. Nothing
// typed means none.
func newPIN(tries int, ask func(prompt string) (string, error)) (string, error) {
	var wrong error
	for range tries {
		prompt := fmt.Sprintf("New approver PIN (at least %d characters): ", pin.MinLength)
		if wrong != nil {
			prompt = wrong.Error() + "\n" + prompt
		}
		typed, err := ask(prompt)
		if err != nil && wrong != nil {
			break
		}
		if err != nil {
			return "", err
		}
		if typed == "" {
			return "", errors.New("no PIN entered, nothing was changed; set it later: callgate pin set")
		}
		if wrong = pin.Check(typed); wrong != nil {
			continue
		}
		again, err := ask("Repeat the PIN: ")
		if err != nil || again == typed {
			return again, err
		}
		wrong = errors.New("the two PINs differ")
	}
	return "", fmt.Errorf("%w; nothing was changed", wrong)
}

// printPresence tells a person how the PIN stands.
func printPresence(w io.Writer, v view.Presence) {
	if v.Why != "" {
		fmt.Fprintln(w, v.Why)
	} else {
		fmt.Fprintf(w, "PIN set; %d attempts left\n", v.TriesLeft)
	}
	if !v.ResetAt.IsZero() {
		fmt.Fprintf(w, "the PIN will be removed at %s; to cancel: callgate pin reset --cancel\n", v.ResetAt.Local().Format(time.DateTime))
	}
	switch {
	case !v.UnlockedUntil.IsZero() && !v.Terminal:
		fmt.Fprintln(w, "over TCP the terminal is unknown: each command asks for the PIN")
	case !v.UnlockedUntil.IsZero():
		fmt.Fprintf(w, "this terminal is unlocked until %s\n", v.UnlockedUntil.Local().Format(time.TimeOnly))
	case v.Set && !v.Locked:
		fmt.Fprintln(w, "this terminal is locked; commands that need the PIN will ask for it")
	}
}
