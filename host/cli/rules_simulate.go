package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store/history"
)

func rulesSimulate(c *cli) *cobra.Command {
	var s protocol.RuleSimulation
	var n protocol.NewRule
	cmd := &cobra.Command{
		Use:   "simulate [BEHAVIOR RULE]",
		Short: "Show which past calls a rule would have changed; stores nothing",
		Long: `Decides the audited calls of the last days again, without the rule and with it, and lists
those that would have been decided otherwise. With --remove: without stored rules.
The configuration, the files and the links are those of now. The audit keeps no secrets:
calls with one cannot be decided again, and are counted. It keeps no reported mode and no
sub-agent: the calls are decided without them.`,
		Example: `  callgate rules simulate allow 'Bash(npm run:*)'
  callgate rules simulate deny 'Write(**/.env*)' --days 30
  callgate rules simulate --remove 4405e1e7caf71f65`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: inOrder(completeBehaviors(), c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args)+len(s.Remove) == 0 {
				return errors.New("want BEHAVIOR and RULE, or --remove ID")
			}
			if len(args) == 2 {
				if err := fillRule(&n, args); err != nil {
					return err
				}
				s.Rules = []protocol.NewRule{n}
			}
			return c.withClient("", func(client *client.Client) error {
				bar := progressLine(cmd)
				out, err := client.Simulate(cmd.Context(), s, func(p history.Simulating) {
					bar.show(fmt.Sprintf("%d calls read, %d of %d different ones decided again", p.Read, p.Judged, p.Total))
				})
				bar.end()
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), out, func(w io.Writer) { printSimulated(w, out) })
			})
		},
	}
	scopeFlags(cmd, (*string)(&n.Scope), &n.ScopeKey, engine.Global)
	cmd.Flags().StringArrayVar(&s.Remove, "remove", nil, "ID of a stored rule to leave out; may be repeated")
	cmd.Flags().IntVar(&s.Days, "days", 7, "how many days back, up to 365")
	cmd.Flags().IntVar(&s.Rows, "rows", 20, "how many of the changed calls to list, up to 1000")
	cmd.Flags().IntVar(&s.Seconds, "seconds", 60, "how long to decide calls again, up to 600")
	return cmd
}

func printSimulated(w io.Writer, s history.Simulated) {
	fmt.Fprintln(w, s.Summary())
	if s.Overruled > 0 {
		fmt.Fprintf(w, "A person denied %d of the calls that would have run.\n", s.Overruled)
	}
	for _, line := range s.Limits() {
		fmt.Fprintln(w, line)
	}
	if len(s.Rows) == 0 {
		return
	}
	rows := [][]string{{"row", "time", "agent", "was", "effect", "call"}}
	for _, r := range s.Rows {
		rows = append(rows, []string{fmt.Sprint(r.Row.Seq), r.Row.Time.Local().Format(time.DateTime), card.Line(r.Row.Agent), string(r.Row.Decision), r.Effect(), card.Line(r.Row.Action)})
	}
	fmt.Fprint(w, table(rows))
	if s.Changed > len(s.Rows) {
		fmt.Fprintf(w, "%d more: --rows %d lists them.\n", s.Changed-len(s.Rows), min(s.Changed, 1000))
	}
}
