package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/record"
)

func recordCommand(c *cli) *cobra.Command {
	var out, since string
	cmd := &cobra.Command{
		Use:     "record SESSION | --since TIME -o DIRECTORY",
		GroupID: "gate",
		Short:   "Export the calls of a session, or of several days, to replay them",
		Long: `Writes the calls of a session from the audit log, one per line. Secrets are masked, the
project directory becomes /project and the home directory /home/user. callgate eval
reads the file and decides the calls without any rules; callgate replay reads it too.

With --since it writes the calls of all sessions after that time into a new directory,
one file per project, and lists the rules that would have saved the most asks.`,
		Example: `  callgate sessions list
  callgate record 7d0c0f6e -o bug.jsonl
  callgate eval < bug.jsonl
  callgate record --since 3d -o calls && callgate replay calls`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("since") {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
		ValidArgsFunction: inOrder(c.completeSessions()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if since != "" {
				return c.recordDays(cmd, since, out)
			}
			return c.withClient("", func(client *client.Client) error {
				source, err := c.recorded(cmd.Context(), client, args[0])
				if err != nil {
					return err
				}
				report, err := writeRecord(cmd, out, source, sessionRows(cmd.Context(), client, store.Filter{Session: args[0]}))
				if err != nil {
					return err
				}
				cmd.PrintErrf("%d calls recorded\n", report.Calls)
				if report.Skipped > 0 {
					cmd.PrintErrf("%d calls are omitted: their input is longer than the audit log stores\n", report.Skipped)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, or with --since the directory; must not exist (default: standard output)")
	cmd.Flags().StringVar(&since, "since", "", "calls of all sessions after this: a time, a date, or an age (2h, 7d)")
	return cmd
}

// recorded gathers the facts about a session missing in the audit's rows.
func (c *cli) recorded(ctx context.Context, client *client.Client, id string) (record.Source, error) {
	view, err := client.Session(ctx, id)
	if err != nil {
		return record.Source{}, seeAlso(err, "callgate sessions list")
	}
	where := map[string]string{}
	for _, call := range view.Calls {
		where[call.CallID] = call.CWD
	}
	known := view.Session
	s := record.Source{Session: known, Mode: engine.DefaultMode.String(), CWD: func(id string) string { return where[id] }}
	if cfg, _, err := c.settings(); err == nil { // another account's daemon keeps its configuration to itself
		agent := cfg.Agent(known.Agent)
		s.Mode, s.Home, s.WorkingDirectories = agent.Mode.String(), agent.Home, agent.WorkingDirectories
	}
	if known.Mode != nil {
		s.Mode = known.Mode.String()
	}
	return s, nil
}

// sessionRows are the rows of the decisions chosen by a filter, page by page.
func sessionRows(ctx context.Context, client *client.Client, f store.Filter) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		f.Event, f.Limit = store.EventDecision, 500
		for {
			page, err := client.Audit(ctx, f)
			if err != nil {
				yield(store.Row{}, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if f.After = page.Next; f.After == 0 {
				return
			}
		}
	}
}

// writeRecord writes to a new file, or to standard output. It removes an incomplete file.
func writeRecord(cmd *cobra.Command, path string, s record.Source, rows iter.Seq2[store.Row, error]) (report record.Report, err error) {
	if path == "" {
		return someCalls(cmd.OutOrStdout(), s, rows)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return report, fmt.Errorf("record: %w", err)
	}
	report, err = someCalls(f, s, rows)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return report, err
}

// someCalls writes a record, and wants calls in it.
func someCalls(w io.Writer, s record.Source, rows iter.Seq2[store.Row, error]) (record.Report, error) {
	report, err := record.Write(w, s, rows)
	if err == nil && report.Calls == 0 {
		err = fmt.Errorf("session %s has no calls to record", s.Session.ID)
	}
	return report, err
}
