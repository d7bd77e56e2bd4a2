package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
)

func storeCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "store",
		GroupID: "setup",
		Short:   "Move the store to another engine or place",
		Example: "  callgate store migrate ~/.local/state/callgate/callgate.db 'postgres://callgate@db.example.org/callgate'",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	cmd.AddCommand(storeMigrate(c))
	return cmd
}

func storeMigrate(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate FROM TO",
		Short: "Copy a whole store from SQLite to PostgreSQL, or back",
		Long: `Copies everything in a store to another place: rules, sessions, tokens, settings, asks, and
the audit with its chain, its tree and its checkpoints. FROM and TO are a file of SQLite or
a URL of PostgreSQL, as in store of the configuration. Nothing of FROM changes.

No daemon may use either of them, and TO must be empty. At the end all rows are compared,
and the audit of TO is verified. A command that was interrupted leaves a TO that no daemon
opens; run it again, and it continues.`,
		Example: "  callgate store migrate ~/.local/state/callgate/callgate.db 'postgres://callgate@db.example.org/callgate'\n" +
			"  callgate store migrate 'postgres://callgate@db.example.org/callgate' /var/lib/callgate/callgate.db --json",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := store.Copy(cmd.Context(), args[0], args[1], store.CopyOptions{Progress: copyProgress(cmd.ErrOrStderr())})
			if err != nil && cmd.Context().Err() != nil {
				return fmt.Errorf("interrupted: %s is not complete: run the command again", report.To)
			}
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), report, func(w io.Writer) { printCopy(w, report) })
		},
	}
}

// copyProgress writes a line for each table, and at most one each second for the audit.
func copyProgress(w io.Writer) func(store.CopyProgress) error {
	var last time.Time
	return func(p store.CopyProgress) error {
		var err error
		switch {
		case p.Verifying:
			_, err = fmt.Fprintln(w, "verifying the audit")
		case p.Total == 0:
		case p.Done == p.Total || time.Since(last) >= time.Second:
			last = time.Now()
			_, err = fmt.Fprintf(w, "%s: %d of %d rows\n", p.Table, p.Done, p.Total)
		}
		return err
	}
}

func printCopy(w io.Writer, r store.CopyReport) {
	cells := [][]string{{"table", "rows"}}
	for _, table := range slices.Sorted(maps.Keys(r.Tables)) {
		cells = append(cells, []string{table, fmt.Sprint(r.Tables[table])})
	}
	fmt.Fprint(w, table(cells))
	fmt.Fprintf(w, "hash chain verified; head %d %s\n", r.Audit.Head, r.Audit.HeadHash)
	if tree := r.Audit.Tree; tree != nil {
		fmt.Fprintf(w, "tree verified; %d leaves, root %s\n", tree.Size, tree.Root)
	}
	if r.Already {
		fmt.Fprintf(w, "%s has been a whole copy of %s before; nothing was changed.\n", card.Line(r.To), card.Line(r.From))
		return
	}
	fmt.Fprintf(w, "Copied %s to %s.\n", card.Line(r.From), card.Line(r.To))
	fmt.Fprintln(w, "Next: set store in callgate.yaml to it, run callgate serve, then move the old store away: a daemon on it would continue the same audit a second time.")
}
