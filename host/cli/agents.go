package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/inventory"
	"github.com/callgate/callgate/host/wire"
)

// agentState is one client of this machine, as `callgate agents` shows it.
type agentState struct {
	inventory.State
	// Probe are the canaries that were sent through the hook, with --probe.
	Probe []canary.Result `json:"probe,omitempty"`
	// Last is the daemon's own last probe; nil for none.
	Last *wire.HookProbe `json:"last_probe,omitempty"`
}

func agentsCommand(c *cli) *cobra.Command {
	var project string
	var probe bool
	cmd := &cobra.Command{
		Use:     "agents",
		GroupID: "gate",
		Short:   "Show the agents' clients on this machine and which Callgate protects",
		Long: `Lists the clients that Callgate has a hook for: whether the program is on PATH, where the
hook is installed, whether the files show it in force, and what stays open. It reads files
and tries nothing; with hooks.probe_every in the configuration it also shows the daemon's
last probe of each hook.

--probe sends two calls through each installed hook, started as its client starts it: one
that Callgate always denies, and a harmless one. No client runs them. It compares the
client's reaction with the daemon's decision in the audit, and ends with code 1 when a
call would run unjudged or the daemon did not see it. "callgate doctor" also tries hooks
that fail.`,
		Example: "  callgate agents\n  callgate agents --project ~/shop --json\n  callgate agents --probe",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := agentStates(project)
			if err != nil {
				return err
			}
			c.lastProbes(cmd.Context(), states)
			alarm := false
			if probe {
				if alarm, err = c.probe(cmd.Context(), states, project); err != nil {
					return err
				}
			}
			if err := c.print(cmd.OutOrStdout(), states, func(w io.Writer) { printAgents(w, states) }); err != nil {
				return err
			}
			if alarm {
				return exit(exitDeny)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&probe, "probe", false, "send canary calls through each installed hook")
	cmd.Flags().StringVar(&project, "project", "", "directory of the session (default: the current one)")
	return cmd
}

// agentStates looks at every client, for a session in a directory.
func agentStates(project string) ([]agentState, error) {
	at, err := installFlags{project: cmp.Or(project, ".")}.otherPlaces()
	if err != nil {
		return nil, err
	}
	var states []agentState
	for _, s := range inventory.Look(at.Places) {
		states = append(states, agentState{State: s})
	}
	return states, nil
}

// printAgents tells a person.
func printAgents(w io.Writer, states []agentState) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "client\tprogram\thook\tprotected")
	for _, s := range states {
		protected := "NO"
		if s.Protected {
			protected = "yes"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Client, cmp.Or(card.Line(s.Program), "not on PATH"), s.Place, protected)
	}
	_ = table.Flush() // as with any print to w
	for _, s := range states {
		if s.Program == "" && s.Place == inventory.None {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", s.Client)
		for _, text := range s.Problems {
			fmt.Fprintln(w, "  problem: "+card.Line(text))
		}
		if p := s.Last; p != nil {
			fmt.Fprintf(w, "  last probe by the daemon: %s, %s: %s\n", p.State, p.At.Local().Format(time.DateTime), card.Line(p.Text))
		}
		if s.Place == inventory.None {
			fmt.Fprintf(w, "  install: callgate hook %s --install\n", s.Client)
			continue
		}
		for _, r := range s.Probe {
			fmt.Fprintf(w, "  probe: %s: %s\n", r.State, card.Line(r.Text))
		}
		fmt.Fprintln(w, "  open: "+strings.Join(s.Open, "\n  open: "))
	}
}
