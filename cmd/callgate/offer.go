package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/gate"
)

// offerFlags say for whom tools are listed; without an agent all are.
type offerFlags struct{ req gate.OfferRequest }

// ofAgents are the flags that mean something beside --for alone.
var ofAgents = []string{"session", "mode", "kind", "cwd", "tools", "all"}

func (f *offerFlags) register(c *cli, cmd *cobra.Command) {
	flags, context := cmd.Flags(), &f.req.Context
	flags.StringVar(&context.Agent, "for", "", "only the tools of which this agent's calls may be allowed or asked about, as a model is told of them")
	flags.StringVar(&context.Session, "session", "", "with --for: in this session")
	flags.StringVar(&context.Mode, "mode", "", "with --for: the mode the client reports")
	flags.StringVar(&context.Kind, "kind", "", "with --for: main (default), interactive_fork or background")
	flags.StringVar(&context.CWD, "cwd", "", "with --for: where it works, for the rules of that project (default: where the session is, or here)")
	flags.StringSliceVar(&f.req.Tools, "tools", nil, "with --for: names of further tools, such as mcp__github__get_issue; commas between, or repeated")
	flags.BoolVar(&f.req.All, "all", false, "with --for: the tools that are left out as well, and why")
	completeFlag(cmd, "for", c.completeAgents())
	completeFlag(cmd, "session", c.completeSessions())
	completeFlag(cmd, "mode", completeModes())
	completeFlag(cmd, "kind", words("main", "interactive_fork", "background"))
}

// run lists the tools offered to the agent. done is false without one.
func (f *offerFlags) run(c *cli, cmd *cobra.Command) (done bool, err error) {
	if !cmd.Flags().Changed("for") {
		for _, name := range ofAgents {
			if cmd.Flags().Changed(name) {
				return true, usageError(cmd, fmt.Errorf("--%s goes with --for AGENT", name))
			}
		}
		return false, nil
	}
	if f.req.Context.Agent == "" {
		return true, usageError(cmd, errors.New("--for: name the agent"))
	}
	if f.req.Context.Session == "" || f.req.Context.CWD != "" {
		if f.req.Context.CWD, err = filepath.Abs(f.req.Context.CWD); err != nil {
			return true, err
		}
	}
	c.noteStranger(f.req.Context.Agent)
	return true, c.withClient("", func(client *api.Client) error {
		out, err := client.Offer(cmd.Context(), f.req)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { printOffering(w, out, f.req.All) })
	})
}

func printOffering(w io.Writer, o gate.Offering, all bool) {
	profile := "no profile"
	if o.Profile != "" {
		profile = "profile " + card.Line(o.Profile)
	}
	fmt.Fprintf(w, "agent %s, mode %s, %s\n", card.Line(o.Agent), o.Mode, profile)
	head := []string{"tool", "also called"}
	if all {
		head = []string{"tool", "also called", "left out because"}
	}
	rows := [][]string{head}
	for _, t := range o.Tools {
		row := []string{card.Line(t.Name), strings.Join(t.Aliases, " ")}
		if all {
			row = append(row, card.Line(t.Why))
		}
		rows = append(rows, row)
	}
	fmt.Fprint(w, table(rows))
}
