package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

func auditCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "audit",
		GroupID: "people",
		Short:   "List, search, show, export, verify, prove and prune the audit log",
		Example: "  callgate audit list --limit 20\n  callgate audit search 'rm -rf' --since 7d\n  callgate audit show 42",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(auditList(c), auditSearch(c), auditShow(c), auditExport(c), auditVerify(c), auditPrune(c),
		auditProve(c), auditCheckProof(c), auditCheckpoint(c), auditKey(c), auditWitness(c))
	return cmd
}

// auditFlags choose rows.
type auditFlags struct {
	filter   store.Filter
	decision string
	since    string
	until    string
	text     string
}

func (f *auditFlags) register(c *cli, cmd *cobra.Command, limit int) {
	flags := cmd.Flags()
	flags.StringVar(&f.filter.Agent, "agent", "", "only this agent")
	flags.StringVar(&f.filter.Session, "session", "", "only this session")
	flags.StringVar(&f.filter.Tool, "tool", "", "only this tool")
	flags.StringVar(&f.filter.Person, "user", "", "only rows in which this person triggered, approved or did something")
	flags.StringVar(&f.filter.User, "triggered-by", "", "only calls triggered by this user")
	flags.StringVar(&f.filter.DecidedBy, "decided-by", "", "only rows approved or done by this person")
	flags.StringVar(&f.filter.Rule, "rule", "", "only rows decided by this rule, and changes of the rule: its ID or text, such as 'Bash(npm run:*)'")
	flags.StringVar(&f.filter.Call, "call", "", "only this call, by the client's call ID")
	flags.StringVar(&f.filter.Ask, "ask", "", "only rows of this ask, by its ID")
	flags.StringVar(&f.text, "text", "", "only rows whose action, reason, rule or input contains this text")
	flags.StringVar((*string)(&f.filter.Event), "event", "", "only this event, such as decision or token_created")
	flags.StringVar(&f.decision, "decision", "", "only this outcome: "+strings.Join(history.Outcomes(), ", "))
	completeFlag(cmd, "agent", c.completeAgents())
	completeFlag(cmd, "session", c.completeSessions())
	completeFlag(cmd, "tool", c.completeTools())
	completeFlag(cmd, "decision", words(history.Outcomes()...))
	flags.StringVar(&f.since, "since", "", "only rows after this: a time, a date, or an age (2h, 7d)")
	flags.StringVar(&f.until, "until", "", "only rows before this: a time, a date, or an age (2h, 7d)")
	if limit > 0 {
		flags.IntVar(&f.filter.Limit, "limit", limit, "maximum number of rows")
		flags.Int64Var(&f.filter.Before, "before", 0, "only rows before this number (for the next page: the last number shown)")
	}
}

func (f *auditFlags) read(text string) (store.Filter, error) {
	out := f.filter
	if f.decision != "" && !slices.Contains(history.Outcomes(), f.decision) {
		return out, fmt.Errorf("--decision %q: want one of %s", f.decision, strings.Join(history.Outcomes(), ", "))
	}
	if text == "" {
		text = f.text
	}
	out.Text, out.Decision = text, store.Outcome(f.decision)
	var err error
	if out.Since, err = history.When("--since", f.since, time.Now()); err != nil {
		return out, err
	}
	out.Until, err = history.When("--until", f.until, time.Now())
	return out, err
}

func auditList(c *cli) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the latest rows, newest first",
		Example: "  callgate audit list --decision deny --since 24h\n  callgate audit list --limit 20 --json",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return auditRows(c, cmd, &f, "") },
	}
	f.register(c, cmd, 50)
	return cmd
}

func auditSearch(c *cli) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Find rows by text, agent, tool, decision, user, rule and time, newest first",
		Long: `Finds the rows that match all filters, newest first. TEXT is searched in the action,
the reason, the rule and the masked input, ignoring case. --before NUMBER shows the
next page.`,
		Example: `  callgate audit search 'git push' --agent builder
  callgate audit search --user ann --decision ask_denied --since 7d
  callgate audit search --rule 'Bash(npm run:*)' --until 2026-01-31 --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return auditRows(c, cmd, &f, strings.Join(args, ""))
		},
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
	return c.withClient("", func(client *client.Client) error {
		page, err := client.Audit(cmd.Context(), f)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), page, func(w io.Writer) {
			printAudit(w, page.Rows)
			if page.Next > 0 && cmd.Flags().Changed("limit") {
				fmt.Fprintf(w, "next page: --before %d\n", page.Next)
			}
		})
	})
}

func printAudit(w io.Writer, rows []store.Row) {
	if len(rows) == 0 {
		fmt.Fprintln(w, "no rows")
		return
	}
	lines := [][]string{history.Columns()}
	for _, r := range rows {
		lines = append(lines, history.Cells(r))
	}
	fmt.Fprint(w, table(lines))
}

// auditFormats are the formats of an export.
var auditFormats = []string{"jsonl", "csv", "ocsf", "proof"}

func auditExport(c *cli) *cobra.Command {
	var f auditFlags
	var format, output string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Export rows as JSON lines, CSV, OCSF or proofs, oldest first",
		Long: `Exports the rows that match all filters, oldest first. In CSV, a text that a
spreadsheet would run as a formula starts with an apostrophe. JSON lines are exact.
With --format ocsf each line is an event of the Open Cybersecurity Schema Framework
(class 6003, API Activity), for a SIEM. With --format proof each line proves its row, for
callgate audit check-proof.`,
		Example: "  callgate audit export --format csv --output audit.csv\n  callgate audit export --since 30d --decision deny >denied.jsonl",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(auditFormats, format) {
				return fmt.Errorf("--format %q: want jsonl, csv, ocsf or proof", format)
			}
			filter, err := f.read("")
			if err != nil {
				return err
			}
			return c.withClient("", func(client *client.Client) error {
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
	cmd.Flags().StringVar(&format, "format", "jsonl", "jsonl, csv, ocsf or proof")
	completeFlag(cmd, "format", words(auditFormats...))
	cmd.Flags().StringVar(&output, "output", "", "a new file to write (default: standard output)")
	return cmd
}

func auditVerify(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Verify the audit hash chain and its signed tree",
		Long: `Recomputes the hash chain, and compares it with the Merkle tree and the daemon's last
signed checkpoint. Exit code 1 when a row was edited, removed, moved or cut off. After a
prune the chain starts at the oldest row left, which continues from the last pruned row.`,
		Example: "  callgate audit verify\n  callgate audit verify --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				report, err := client.VerifyAudit(cmd.Context())
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) {
					if report.OK() {
						fmt.Fprintf(w, "%d rows, hash chain verified; head %s\n", report.Rows, report.HeadHash)
						printTree(w, report.Tree)
						if gone := report.Removed; gone != nil {
							fmt.Fprintf(w, "starts at row %d: rows up to %d were pruned on %s by %s (row %d)\n",
								report.From, gone.Through, gone.At.Local().Format(time.DateTime), card.Line(gone.By), gone.Seq)
						}
						return
					}
					fmt.Fprintf(w, "broken at row %d: %s (the %d rows before it are intact)\n", report.Break.Seq, report.Break.What, report.Rows)
				}); err != nil || report.OK() {
					return err
				}
				return exit(exitDeny)
			})
		},
	}
}

// printTree says how much of the audit is signed.
func printTree(w io.Writer, t *store.TreeReport) {
	switch {
	case t == nil || t.SignedFor == 0:
	case t.Unsigned != "":
		fmt.Fprintf(w, "tree verified; its signature was not: %s\n", card.Line(t.Unsigned))
	default:
		fmt.Fprintf(w, "tree verified; signed through row %d, root %s\n", t.Base+t.SignedFor, t.SignedRoot)
	}
}
