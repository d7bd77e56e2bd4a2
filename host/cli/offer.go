package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/wire"
)

// offerFlags say for whom tools are listed; without an agent all are.
type offerFlags struct{ req wire.VisibleToolsRequest }

// ofAgents are the flags with a meaning beside --for alone.
var ofAgents = []string{"session", "mode", "kind", "cwd", "tools", "all"}

func (f *offerFlags) register(c *cli, cmd *cobra.Command) {
	flags, context := cmd.Flags(), &f.req.Context
	flags.StringVar(&context.Agent, "for", "", "only the tools worth showing to this agent's model: those of which some call may be allowed or asked about")
	flags.StringVar(&context.Session, "session", "", "with --for: in this session")
	flags.StringVar(&context.Mode, "mode", "", "with --for: permission mode reported by the client")
	flags.StringVar(&context.Kind, "kind", "", "with --for: main (default), interactive_fork or background")
	flags.StringVar(&context.CWD, "cwd", "", "with --for: directory, for the rules of its project (default: the session's, else the current one)")
	flags.StringSliceVar(&f.req.Tools, "tools", nil, "with --for: further tool names, such as mcp__github__get_issue; comma-separated or repeated")
	flags.BoolVar(&f.req.All, "all", false, "with --for: also list the excluded tools, with the reason")
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
				return true, usageError(cmd, fmt.Errorf("--%s needs --for AGENT", name))
			}
		}
		return false, nil
	}
	if f.req.Context.Agent == "" {
		return true, usageError(cmd, errors.New("--for: agent name is empty"))
	}
	if f.req.Context.Session == "" || f.req.Context.CWD != "" {
		if f.req.Context.CWD, err = filepath.Abs(f.req.Context.CWD); err != nil {
			return true, err
		}
	}
	c.noteStranger(f.req.Context.Agent)
	return true, c.withClient("", func(client *client.Client) error {
		out, err := client.VisibleTools(cmd.Context(), f.req)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { printOffering(w, out, f.req.All) })
	})
}

func printOffering(w io.Writer, o wire.VisibleTools, all bool) {
	profile := "no profile"
	if o.Profile != "" {
		profile = "profile " + card.Line(o.Profile)
	}
	fmt.Fprintf(w, "agent %s, mode %s, %s\n", card.Line(o.Agent), o.Mode, profile)
	head := []string{"tool", "aliases"}
	if all {
		head = []string{"tool", "aliases", "excluded because"}
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
