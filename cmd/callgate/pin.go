package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/presence"
)

func pinCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pin",
		GroupID: "people",
		Short:   "Set and type the approver PIN, without which nothing is approved on this machine",
		Long: `The approver PIN shows that a person is there. Whatever lets agents do more
(approving, allow rules, looser modes, resuming, tokens, configuration) wants it
typed on the same terminal within the last 15 minutes; denying and tightening
never do. Commands that need it ask for it.

Five wrong tries in a row lock it. callgate pin reset is the way out: it takes
effect an hour later (at once for root), and whoever knows the PIN can stop it
until then.`,
		Example: "  callgate pin set\n  callgate pin status",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(
		c.pinDo("status", "Tell how the PIN stands, and until when this terminal is unlocked", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
			return client.Presence(ctx)
		}),
		c.pinDo("set", "Choose the first PIN", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
			return choosePIN(ctx, client, by, false)
		}),
		c.pinDo("change", "Choose another PIN; wants the one that holds", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
			return choosePIN(ctx, client, by, true)
		}),
		c.pinDo("unlock", "Type the PIN now: this terminal may approve for 15 minutes", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
			if view, err := client.Presence(ctx); err != nil || !view.Set || view.Locked {
				return view, unusable(view, err)
			}
			p, err := atTerminal()
			if err != nil {
				return api.PresenceView{}, err
			}
			defer p.close()
			if err := unlockAt(ctx, client, p); err != nil {
				return api.PresenceView{}, err
			}
			return client.Presence(ctx)
		}),
		c.pinDo("lock", "End the 15 minutes of this terminal", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
			if err := client.LockPresence(ctx); err != nil {
				return api.PresenceView{}, err
			}
			return client.Presence(ctx)
		}),
		pinReset(c, &by),
	)
	return cmd
}

// pinDo is a sub-command that does one thing and tells how the PIN then stands.
func (c *cli) pinDo(name, short string, do func(context.Context, *api.Client) (api.PresenceView, error)) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: fmt.Sprintf("  callgate pin %[1]s\n  callgate pin %[1]s --json", name),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *api.Client) error {
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

func pinReset(c *cli, by *string) *cobra.Command {
	var cancel bool
	cmd := c.pinDo("reset", "Drop a forgotten or locked PIN, an hour from now; root at once", func(ctx context.Context, client *api.Client) (api.PresenceView, error) {
		if cancel {
			return client.ResetPIN(ctx, *by, true)
		}
		p, err := atTerminal()
		if err != nil {
			return api.PresenceView{}, err
		}
		defer p.close()
		typed, err := p.line(ctx, "Nobody can approve with the old PIN afterwards. Type reset to go on: ")
		if err != nil {
			return api.PresenceView{}, err
		}
		if typed != "reset" {
			return api.PresenceView{}, errors.New("nothing was changed")
		}
		return client.ResetPIN(ctx, *by, false)
	})
	cmd.Flags().BoolVar(&cancel, "cancel", false, "take a reset back that has not taken effect")
	return cmd
}

// choosePIN asks for a PIN twice, and for the one that holds before it.
func choosePIN(ctx context.Context, client *api.Client, by string, change bool) (api.PresenceView, error) {
	view, err := client.Presence(ctx)
	if err != nil {
		return view, err
	}
	switch {
	case change && view.Locked:
		return view, unusable(view, nil)
	case change && !view.Set:
		return view, errors.New("there is no PIN to change: callgate pin set")
	case !change && view.Set:
		return view, errors.New("there is a PIN already: callgate pin change, or callgate pin reset when nobody knows it")
	}
	p, err := atTerminal()
	if err != nil {
		return view, err
	}
	defer p.close()
	old := ""
	if change {
		if old, err = p.secret(ctx, "Approver PIN that holds: "); err != nil {
			return view, err
		}
	}
	pin, err := newPIN(1, func(prompt string) (string, error) { return p.secret(ctx, prompt) })
	if err != nil {
		return view, err
	}
	return client.SetPIN(ctx, by, old, pin)
}

// unusable is why a PIN is not even asked for.
func unusable(v api.PresenceView, err error) error {
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
		prompt := fmt.Sprintf("New approver PIN (at least %d characters): ", presence.MinLength)
		if wrong != nil {
			prompt = wrong.Error() + "\n" + prompt
		}
		pin, err := ask(prompt)
		if err != nil && wrong != nil {
			break
		}
		if err != nil {
			return "", err
		}
		if pin == "" {
			return "", errors.New("no PIN was typed: nothing was changed; callgate pin set does it later")
		}
		if wrong = presence.Check(pin); wrong != nil {
			continue
		}
		again, err := ask("The same again: ")
		if err != nil || again == pin {
			return again, err
		}
		wrong = errors.New("the two are not the same")
	}
	return "", fmt.Errorf("%w: nothing was changed", wrong)
}

// printPresence tells a person how the PIN stands.
func printPresence(w io.Writer, v api.PresenceView) {
	if v.Why != "" {
		fmt.Fprintln(w, v.Why)
	} else {
		fmt.Fprintf(w, "the approver PIN is set; %d tries\n", v.TriesLeft)
	}
	if !v.ResetAt.IsZero() {
		fmt.Fprintf(w, "it will be dropped at %s; if that is not wanted: callgate pin reset --cancel\n", v.ResetAt.Local().Format(time.DateTime))
	}
	switch {
	case !v.UnlockedUntil.IsZero() && !v.Terminal:
		fmt.Fprintln(w, "over TCP no terminal can be seen: each command asks for it again")
	case !v.UnlockedUntil.IsZero():
		fmt.Fprintf(w, "this terminal may approve until %s\n", v.UnlockedUntil.Local().Format(time.TimeOnly))
	case v.Set && !v.Locked:
		fmt.Fprintln(w, "it is not typed here now: what needs it will ask")
	}
}
