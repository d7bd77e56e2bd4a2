package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/history"
	"github.com/callgate/callgate/host/store"
)

func auditShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "show SEQ",
		Short: "Show one row with the rule, the module, the person and the ask behind it",
		Long: `Shows all that the audit says of one row: what was called and decided, which rule
decided and where it came from, which module in which version judged, who answered,
and what became of the rule since. Inputs are shown as they are kept: secrets masked.`,
		Example: "  callgate audit show 42\n  callgate audit show 42 --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || seq < 1 {
				return fmt.Errorf("%q: want the number of a row, the first column of callgate audit list", args[0])
			}
			return c.withClient("", func(client *api.Client) error {
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
		Short: "Remove the rows that are older; what is left still verifies",
		Long: `Removes the rows of the audit that are older than WHEN, for good, and asks for the
approver PIN. A row says which rows went, by whom, and the hash of the last of them,
so that callgate audit verify holds for what is left. Rules, tokens and settings that
old rows admit are said again first. Export what you want to keep. To have it done by
itself every day, set audit.keep in the configuration.`,
		Example: "  callgate audit export --until 2026-01-01 --format jsonl --output 2025.jsonl\n  callgate audit prune --before 2026-01-01 --dry-run\n  callgate audit prune --before 365d",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := history.When("--before", before, time.Now())
			if err != nil {
				return err
			}
			if at.IsZero() {
				return errors.New("--before: missing: say from when on rows are kept, such as 2026-01-01 or 365d")
			}
			return c.withClient("", func(client *api.Client) error {
				gone, err := client.PruneAudit(cmd.Context(), by, at, dry)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), gone, func(w io.Writer) { fmt.Fprintln(w, prunedText(gone, dry)) })
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "a date, a time, or how long ago")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only tell what would go")
	asFlag(cmd, &by)
	return cmd
}

func prunedText(p store.Prunable, dry bool) string {
	switch {
	case p.Rows == 0:
		return "no rows are older than " + p.Before.Local().Format(time.DateTime)
	case dry:
		return fmt.Sprintf("%d rows would go: %d to %d", p.Rows, p.From, p.Through)
	}
	return fmt.Sprintf("%d rows are gone: %d to %d", p.Rows, p.From, p.Through)
}
