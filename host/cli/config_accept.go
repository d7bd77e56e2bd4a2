package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/wire"
)

func configStatus(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show pending configuration changes",
		Long: `A running daemon applies changes that tighten the configuration at once. All other
changes are pending until a person accepts them with callgate config accept. They are
shown as a diff: - current, + pending. Exit code 2 while changes are pending.`,
		Example: "  callgate config status\n  callgate config status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				s, err := client.ConfigState(cmd.Context())
				if err != nil {
					return err
				}
				if err := c.printState(cmd.OutOrStdout(), s); err != nil || s.Pending == "" {
					return err
				}
				return exit(exitAsk)
			})
		},
	}
}

func configAccept(c *cli) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "accept",
		Short: "Apply pending configuration changes",
		Long: `Shows the pending changes and applies the file, exactly as shown. If the file changes
in between, nothing is applied. Requires the approver PIN, typed at a terminal.`,
		Example: "  callgate config status\n  callgate config accept",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(daemon *client.Client) error {
				s, err := daemon.ConfigState(cmd.Context())
				if err != nil {
					return err
				}
				if s.Pending == "" {
					return c.printState(cmd.OutOrStdout(), s)
				}
				if !c.json {
					printState(cmd.OutOrStdout(), s)
				}
				shown := s.Pending // the first try may fail for want of the PIN
				err = c.widening(daemon, func(client *client.Client) error {
					s, err = client.AcceptConfig(cmd.Context(), by, shown)
					return err
				})
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), s, func(w io.Writer) { fmt.Fprintln(w, "accepted: the whole file is in effect") })
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}

func (c *cli) printState(w io.Writer, s wire.ConfigState) error {
	return c.print(w, s, func(w io.Writer) { printState(w, s) })
}

func printState(w io.Writer, s wire.ConfigState) {
	file := s.File
	if file == "" {
		file = "no file"
	}
	file = card.Line(file)
	if s.Problem != "" {
		fmt.Fprintf(w, "%s cannot be used:\n", file)
		for line := range strings.Lines(s.Problem) {
			fmt.Fprintln(w, "  "+card.Line(strings.TrimRight(line, "\n")))
		}
	}
	for _, given := range s.Given {
		fmt.Fprintln(w, card.Line(given))
	}
	switch {
	case s.Problem != "" && s.Pending == "":
		fmt.Fprintln(w, "The previous configuration is still in effect. Fix the file, then check it: callgate config check")
		return
	case s.Pending == "":
		fmt.Fprintf(w, "%s: in effect; no pending changes\n", file)
		return
	}
	fmt.Fprintf(w, "%s: tightening changes are in effect; %d changes are pending:\n", file, len(s.Widenings))
	for _, change := range s.Widenings {
		printChange(w, change)
	}
	fmt.Fprintln(w, "Apply them: callgate config accept (or undo the edit in the file)")
}

// printChange shows a line of the difference: - in force, + in the file.
func printChange(w io.Writer, c wire.PendingChange) {
	if c.Line > 0 {
		fmt.Fprintf(w, "  @ line %d\n", c.Line)
	}
	for _, side := range []struct{ sign, text string }{{"-", c.Was}, {"+", c.Will}} {
		if side.text != "" {
			fmt.Fprintf(w, "  %s %s: %s\n", side.sign, card.Line(c.Where), card.Line(side.text))
		}
	}
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return card.Line(text)
}
