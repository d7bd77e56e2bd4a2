package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// rowNumber reads the number of a row of the audit.
func rowNumber(text string) (int64, error) {
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 {
		return 0, fmt.Errorf("%q: want a row number, from the first column of callgate audit list", text)
	}
	return seq, nil
}

func auditShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "show SEQ",
		Short: "Show one row with its rule, module, approver and ask",
		Long: `Shows everything the audit has about one row: the call and its decision, the rule and
its source, the module and its version, the approver, and what happened to the rule
since. Secrets in inputs are masked.`,
		Example: "  callgate audit show 42\n  callgate audit show 42 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := rowNumber(args[0])
			if err != nil {
				return err
			}
			return c.withClient("", func(client *client.Client) error {
				entry, err := client.AuditRow(cmd.Context(), seq)
				if err != nil {
					return seeAlso(err, "callgate audit list")
				}
				return c.print(cmd.OutOrStdout(), entry, func(w io.Writer) { printEntry(w, entry) })
			})
		},
	}
}

func printEntry(w io.Writer, e history.Entry) {
	var cells [][]string
	for _, f := range e.Fields() {
		cells = append(cells, []string{f[0], card.Line(f[1])})
	}
	fmt.Fprint(w, table(cells))
}

func auditPrune(c *cli) *cobra.Command {
	var before, by string
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --before WHEN",
		Short: "Delete rows older than WHEN",
		Long: `Deletes the audit rows older than WHEN permanently. Requires the approver PIN. A new row
records which rows were deleted, by whom, and the hash of the last one, so callgate
audit verify still works. Rows that later rows depend on (rules, tokens, settings) are
written again first. Export the rows you want to keep. To prune every day, set
audit.keep in the configuration.`,
		Example: "  callgate audit export --until 2026-01-01 --format jsonl --output 2025.jsonl\n  callgate audit prune --before 2026-01-01 --dry-run\n  callgate audit prune --before 365d",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := history.When("--before", before, time.Now())
			if err != nil {
				return err
			}
			if at.IsZero() {
				return errors.New("--before: missing: want a date or age from which rows are kept, such as 2026-01-01 or 365d")
			}
			return c.withClient("", func(client *client.Client) error {
				gone, err := client.PruneAudit(cmd.Context(), by, at, dry)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) { fmt.Fprintln(w, prunedText(gone, dry)) })
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "a date, a time, or an age such as 365d")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would be deleted and change nothing")
	asFlag(cmd, &by)
	return cmd
}

func prunedText(p store.Prunable, dry bool) string {
	switch {
	case p.Rows == 0:
		return "no rows older than " + p.Before.Local().Format(time.DateTime)
	case dry:
		return fmt.Sprintf("%d rows would be deleted: %d to %d", p.Rows, p.From, p.Through)
	}
	return fmt.Sprintf("%d rows deleted: %d to %d", p.Rows, p.From, p.Through)
}
