package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/store"
)

func auditCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "audit",
		GroupID: "people",
		Short:   "List, search, export and verify what was decided",
		Example: "  callgate audit list --limit 20\n  callgate audit search 'rm -rf'",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(auditList(c), auditSearch(c), auditExport(c), auditVerify(c))
	return cmd
}

// auditFlags choose rows.
type auditFlags struct {
	filter   store.Filter
	decision string
	since    time.Duration
}

func (f *auditFlags) register(c *cli, cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringVar(&f.filter.Agent, "agent", "", "only this agent")
	flags.StringVar(&f.filter.Session, "session", "", "only this session")
	flags.StringVar(&f.filter.Tool, "tool", "", "only this tool")
	flags.StringVar(&f.filter.User, "user", "", "only calls triggered by this user")
	flags.StringVar((*string)(&f.filter.Event), "event", "", "only this event, such as decision or token_created")
	flags.StringVar(&f.decision, "decision", "", "only this outcome: "+strings.Join(outcomes, ", "))
	completeFlag(cmd, "agent", c.completeAgents())
	completeFlag(cmd, "session", c.completeSessions())
	completeFlag(cmd, "tool", c.completeTools())
	completeFlag(cmd, "decision", words(outcomes...))
	flags.DurationVar(&f.since, "since", 0, "only the last while, such as 2h")
	if limit > 0 {
		flags.IntVar(&f.filter.Limit, "limit", limit, "how many rows at most")
	}
}

// outcomes are the words of --decision.
var outcomes = []string{
	string(store.Allowed), string(store.Denied), string(store.AskApproved),
	string(store.AskDenied), string(store.AskTimeout), string(store.AskCancelled),
}

func (f *auditFlags) read(text string) (store.Filter, error) {
	out := f.filter
	if f.decision != "" && !slices.Contains(outcomes, f.decision) {
		return out, fmt.Errorf("--decision %q: want one of %s", f.decision, strings.Join(outcomes, ", "))
	}
	out.Text, out.Decision = text, store.Outcome(f.decision)
	if f.since > 0 {
		out.Since = time.Now().Add(-f.since)
	}
	return out, nil
}

func auditList(c *cli) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the latest rows, newest first",
		Example: "  callgate audit list --decision deny --since 24h",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return auditRows(c, cmd, &f, "") },
	}
	f.register(c, cmd, 50)
	return cmd
}

func auditSearch(c *cli) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:     "search TEXT",
		Short:   "Find rows whose action, reason, rule or input holds the text",
		Example: "  callgate audit search 'git push' --agent builder",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return auditRows(c, cmd, &f, args[0]) },
	}
	f.register(c, cmd, 50)
	return cmd
}

func auditRows(c *cli, cmd *cobra.Command, flags *auditFlags, text string) error {
	f, err := flags.read(text)
	if err != nil {
		return err
	}
	f.Newest = true
	return c.withClient("", func(client *api.Client) error {
		page, err := client.Audit(cmd.Context(), f)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), page, func(w io.Writer) { printAudit(w, page.Rows) })
	})
}

func printAudit(w io.Writer, rows []store.Row) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "no rows")
		return
	}
	lines := [][]string{{"seq", "time", "agent", "outcome", "stage", "by", "what", "why"}}
	for _, r := range rows {
		outcome, what := string(r.Decision), r.Action
		if r.Event != store.EventDecision {
			outcome, what = string(r.Event), r.RuleText
		}
		lines = append(lines, []string{
			fmt.Sprint(r.Seq), r.Time.Local().Format(time.DateTime), card.Line(r.Agent), outcome, r.Stage,
			card.Line(r.DecidedBy), clip(card.Line(what), 60), clip(card.Line(r.Detail), 80),
		})
	}
	fmt.Fprint(w, table(lines))
}

// clip shortens a table's cell; --json has it whole.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func auditExport(c *cli) *cobra.Command {
	var f auditFlags
	var format, output string
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write all rows as JSON lines or CSV, oldest first",
		Example: "  callgate audit export --format csv --output audit.csv",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "jsonl" && format != "csv" {
				return fmt.Errorf("--format %q: want jsonl or csv", format)
			}
			filter, err := f.read("")
			if err != nil {
				return err
			}
			return c.withClient("", func(client *api.Client) error {
				if output == "" {
					return client.ExportAudit(cmd.Context(), filter, format, cmd.OutOrStdout())
				}
				file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err != nil {
					return err
				}
				return errors.Join(client.ExportAudit(cmd.Context(), filter, format, file), file.Close())
			})
		},
	}
	f.register(c, cmd, 0)
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl or csv")
	completeFlag(cmd, "format", words("jsonl", "csv"))
	cmd.Flags().StringVar(&output, "output", "", "a new file to write (default: standard output)")
	return cmd
}

func auditVerify(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "verify",
		Short:   "Recompute the chain of hashes and name the first break",
		Long:    "Recomputes the chain of hashes. Exit code 1 when a row was edited, removed, moved or cut off.",
		Example: "  callgate audit verify",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *api.Client) error {
				report, err := client.VerifyAudit(cmd.Context())
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) {
					if report.OK() {
						fmt.Fprintf(w, "%d rows, the chain verifies; head %s\n", report.Rows, report.HeadHash)
						return
					}
					fmt.Fprintf(w, "broken at row %d: %s (%d rows before it are sound)\n", report.Break.Seq, report.Break.What, report.Rows)
				}); err != nil || report.OK() {
					return err
				}
				return exit(exitDeny)
			})
		},
	}
}
