package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/store/record"
	"github.com/callgate/callgate/host/internal/toolkit/replay"
)

// recordedDays is the result of recording some days.
type recordedDays struct {
	Directory string `json:"directory"`
	Sessions  int    `json:"sessions"`
	record.Report
	Best *replay.Advice `json:"best"`
}

// recordDays writes the calls of all sessions since then into a new directory, and names the rules
// with the most saved asks.
func (c *cli) recordDays(cmd *cobra.Command, since, dir string) (err error) {
	from, err := history.When("--since", since, time.Now())
	if err != nil {
		return err
	}
	if dir == "" {
		return errors.New("--since: name the directory to write with -o")
	}
	if err := needModules(); err != nil {
		return err
	}
	done := recordedDays{Directory: dir}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if err := c.withClient("", func(client *client.Client) error {
		return c.recordSince(cmd, client, from, &done)
	}); err != nil {
		return err
	}
	sessions, err := replay.Load(dir)
	if err != nil {
		return err
	}
	o, err := replayFlags{policy: "once", scope: "project"}.options(c)
	if err != nil {
		return err
	}
	if done.Best, err = replay.Best(cmd.Context(), sessions, o, bestRules); err != nil {
		return err
	}
	return c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
		fmt.Fprintf(w, "%d calls of %d sessions recorded in %s\n", done.Calls, done.Sessions, dir)
		if done.Skipped > 0 {
			fmt.Fprintf(w, "%d calls are left out: their input is longer than the audit keeps\n", done.Skipped)
		}
		done.Best.Print(w)
	})
}

// recordSince writes a file for each project, the sessions in the order of their start.
func (c *cli) recordSince(cmd *cobra.Command, client *client.Client, from time.Time, done *recordedDays) error {
	sessions, err := client.Sessions(cmd.Context(), store.SessionFilter{Since: from})
	if err != nil {
		return err
	}
	slices.SortFunc(sessions, func(a, b store.Session) int { return a.CreatedAt.Compare(b.CreatedAt) })
	files := map[string]*bytes.Buffer{}
	var names []string
	for _, s := range sessions {
		source, err := c.recorded(cmd.Context(), client, s.ID)
		if err != nil {
			return err
		}
		place := strings.Join([]string{s.Agent, s.ProjectRoot}, "\x00")
		if files[place] == nil {
			files[place] = &bytes.Buffer{}
			names = append(names, place)
		}
		report, err := record.Write(files[place], source, sessionRows(cmd.Context(), client, store.Filter{Session: s.ID, Since: from}))
		if err != nil {
			return err
		}
		done.Calls, done.Skipped = done.Calls+report.Calls, done.Skipped+report.Skipped
		if report.Calls > 0 {
			done.Sessions++
		}
	}
	if done.Calls == 0 {
		return fmt.Errorf("no session has calls to record since %s", from.Format(time.DateTime))
	}
	for i, name := range names {
		if files[name].Len() == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join(done.Directory, fmt.Sprintf("project-%d.jsonl", i+1)), files[name].Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
