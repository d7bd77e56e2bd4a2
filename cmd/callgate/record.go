package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/record"
	"github.com/callgate/callgate/host/store"
)

func recordCommand(c *cli) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "record SESSION",
		GroupID: "gate",
		Short:   "Write the calls of a session as a file that can be played again",
		Long: `Writes the calls of a session, as the audit holds them, one line each: with their
secrets masked, the project's directory as /project and the home directory as
/home/user. The file is read by callgate eval, which decides the calls without
any rules.`,
		Example: `  callgate sessions list
  callgate record 7d0c0f6e -o bug.jsonl
  callgate eval < bug.jsonl`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeSessions()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *api.Client) error {
				source, err := c.recorded(cmd.Context(), client, args[0])
				if err != nil {
					return err
				}
				report, err := writeRecord(cmd, out, source, sessionRows(cmd.Context(), client, args[0]))
				if err != nil {
					return err
				}
				cmd.PrintErrf("%d calls recorded\n", report.Calls)
				if report.Skipped > 0 {
					cmd.PrintErrf("%d calls are left out: their input is longer than the audit keeps\n", report.Skipped)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write, which must not exist (default: standard output)")
	return cmd
}

// recorded gathers what the audit's rows do not say of a session.
func (c *cli) recorded(ctx context.Context, client *api.Client, id string) (record.Source, error) {
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

// sessionRows are the rows of a session, page by page.
func sessionRows(ctx context.Context, client *api.Client, session string) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		f := store.Filter{Session: session, Event: store.EventDecision, Limit: 500}
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

// writeRecord writes to a new file, or to standard output. A file that did not
// become whole is taken away.
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
