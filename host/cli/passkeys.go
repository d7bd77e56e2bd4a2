package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

func passkeysCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "passkeys",
		GroupID: "people",
		Short:   "List and remove the passkeys of approvers",
		Long: `A passkey signs a person's approvals. People add theirs in the web console, on the page
Passkeys (callgate console); each person may have several devices.`,
		Example: "  callgate passkeys list\n  callgate passkeys remove 'ann phone'",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(passkeysList(c), passkeysRemove(c))
	return cmd
}

func passkeysList(c *cli) *cobra.Command {
	var all bool
	var person string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the passkeys, with their people and fingerprints",
		Example: "  callgate passkeys list --person ann\n  callgate passkeys list --all --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				keys, err := client.Passkeys(cmd.Context(), person)
				if err != nil {
					return err
				}
				shown := []view.Passkey{}
				for _, k := range keys {
					if all || k.RevokedAt.IsZero() {
						shown = append(shown, k)
					}
				}
				return c.print(cmd.OutOrStdout(), shown, func(w io.Writer) { printPasskeys(w, shown) })
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include removed passkeys")
	cmd.Flags().StringVar(&person, "person", "", "only passkeys of this person")
	return cmd
}

func printPasskeys(w io.Writer, keys []view.Passkey) {
	if len(keys) == 0 {
		fmt.Fprintln(w, "no passkeys; add one in the web console: callgate console")
		return
	}
	rows := [][]string{{"person", "device", "added", "state", "console", "key (SHA-256)", "id"}}
	for _, k := range keys {
		state := "active"
		if !k.RevokedAt.IsZero() {
			state = "removed " + when(k.RevokedAt)
		}
		rows = append(rows, []string{card.Line(k.Person), card.Line(k.Name), k.AddedAt.Local().Format(time.DateTime), state,
			card.Line(k.Daemon), k.Fingerprint[:16], card.Line(k.ID)})
	}
	fmt.Fprint(w, table(rows))
}

func passkeysRemove(c *cli) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:     "remove PASSKEY",
		Aliases: []string{"revoke"},
		Short:   "Remove a passkey: its signatures no longer count",
		Long: `Removes a passkey at once. PASSKEY is its ID, the beginning of its fingerprint (8
characters or more), or 'PERSON DEVICE', as callgate passkeys list shows them. Approvals
that it signed stay valid. The audit records the removal. It takes no PIN, because it only
withdraws a right.`,
		Example: "  callgate passkeys remove 'ann old phone'\n  callgate passkeys remove 3f9a8c2e",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				keys, err := client.Passkeys(cmd.Context(), "")
				if err != nil {
					return err
				}
				key, err := findPasskey(keys, args[0])
				if err != nil {
					return seeAlso(err, "callgate passkeys list")
				}
				gone, err := client.RevokePasskey(cmd.Context(), by, key.ID)
				if err != nil {
					return seeAlso(err, "callgate passkeys list")
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) {
					fmt.Fprintf(w, "removed the passkey %q of %s\n", card.Line(gone.Name), card.Line(gone.Person))
				})
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}

// findPasskey is the one passkey in force that a text names.
func findPasskey(keys []view.Passkey, text string) (view.Passkey, error) {
	keys = slices.DeleteFunc(keys, func(k view.Passkey) bool {
		named := k.ID == text || k.Person+" "+k.Name == text || len(text) >= 8 && strings.HasPrefix(k.Fingerprint, text)
		return !named || !k.RevokedAt.IsZero()
	})
	switch len(keys) {
	case 0:
		return view.Passkey{}, fmt.Errorf("%q: no active passkey", text)
	case 1:
		return keys[0], nil
	}
	return view.Passkey{}, errors.New("several passkeys match: name one by its id")
}
