package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/config"
)

func configStatus(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show what of a changed file waits to be accepted",
		Long: `A running daemon takes over a changed file at once where it tightens. What it
widens, and what Callgate cannot tell, waits until a person accepts it: see
callgate config accept. Exit code 2 while something waits.`,
		Example: "  callgate config status\n  callgate config status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *api.Client) error {
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
		Short: "Put in force what a changed file widens, after showing it",
		Long: `Shows what the file widens, and puts it in force: exactly the text that was
shown. When the file changed in between, nothing happens. Somebody has to be
there to type the approver PIN.`,
		Example: "  callgate config status\n  callgate config accept",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *api.Client) error {
				s, err := client.ConfigState(cmd.Context())
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
				err = c.widening(client, func(client *api.Client) error {
					s, err = client.AcceptConfig(cmd.Context(), by, shown)
					return err
				})
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), s, func(w io.Writer) { fmt.Fprintln(w, "accepted: the file holds as it is") })
			})
		},
	}
	asFlag(cmd, &by)
	return cmd
}

func (c *cli) printState(w io.Writer, s config.State) error {
	return c.print(w, s, func(w io.Writer) { printState(w, s) })
}

func printState(w io.Writer, s config.State) {
	file := s.File
	if file == "" {
		file = "no file"
	}
	file = card.Line(file)
	if s.Problem != "" {
		fmt.Fprintf(w, "%s cannot be used as it is now:\n", file)
		for line := range strings.Lines(s.Problem) {
			fmt.Fprintln(w, "  "+card.Line(strings.TrimRight(line, "\n")))
		}
	}
	for _, given := range s.Given {
		fmt.Fprintln(w, card.Line(given))
	}
	switch {
	case s.Problem != "" && s.Pending == "":
		fmt.Fprintln(w, "what held before the change is still in force; callgate config check reads the file again")
		return
	case s.Pending == "":
		fmt.Fprintf(w, "%s: in force; nothing waits\n", file)
		return
	}
	fmt.Fprintf(w, "%s: what it tightens holds; %d changes wait:\n", file, len(s.Widenings))
	for _, wd := range s.Widenings {
		where := wd.Where
		if wd.Line > 0 {
			where = fmt.Sprintf("line %d, %s", wd.Line, where)
		}
		fmt.Fprintf(w, "  %s\n    holds: %s\n    file:  %s\n", card.Line(where), orNothing(wd.Was), orNothing(wd.Will))
	}
	fmt.Fprintln(w, "put them in force with: callgate config accept; or change the file back")
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return card.Line(text)
}
