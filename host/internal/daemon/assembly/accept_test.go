package assembly_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "modernc.org/sqlite" // to change the store behind its back

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
)

const acceptedYAML = `
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "rm:*", behavior: deny}
agents:
  worker: {mode: default, working_directories: [PROJECT]}
`

// mixedYAML tightens (npm is no longer allowed, make is denied) and widens (rm is
// not denied, curl is allowed, the mode asks less).
const mixedYAML = `
rules:
  - {tool: Bash, content: "curl:*", behavior: allow}
  - {tool: Bash, content: "make:*", behavior: deny}
agents:
  worker: {mode: accept_edits, working_directories: [PROJECT]}
`

func (w *world) parse(yaml string) *config.Config {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(strings.ReplaceAll(yaml, "PROJECT", fmt.Sprintf("%q", w.project))), w.dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	return cfg
}

func (w *world) apply(yaml string) {
	w.t.Helper()
	if _, err := w.Apply(w.t.Context(), w.parse(yaml)); err != nil {
		w.t.Fatal(err)
	}
}

// decides compares the worker's commands with their wanted decisions.
func (w *world) decides(when string, want map[string]engine.Behavior) {
	w.t.Helper()
	for command, behavior := range want {
		if d := w.evaluate("worker", w.bash(command)); d.Behavior != behavior {
			w.t.Errorf("%s, %s: got %s (%s), want %s", when, command, d.Behavior, d.Reason, behavior)
		}
	}
}

// pending are the places of the waiting changes.
func (w *world) pending() string {
	var keys []string
	for _, wd := range w.ConfigState().Widenings {
		keys = append(keys, wd.Where)
	}
	slices.Sort(keys)
	return strings.Join(keys, " ")
}

// TestT06_ConfigurationWidensOnlyWhenAccepted is threat T06 on the file: rewriting it gains
// nothing, now and after a restart, until a person accepts it; its tightenings hold at once.
func TestT06_ConfigurationWidensOnlyWhenAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acceptedYAML)
	const a, n, q = engine.Allow, engine.Deny, engine.Ask
	w.decides("first start", map[string]engine.Behavior{"npm run x": a, "rm x": n, "curl x": q, "make": q})
	if got := w.pending(); got != "" {
		t.Fatalf("first start: %s waits, want nothing", got)
	}
	both := map[string]engine.Behavior{"npm run x": q, "rm x": n, "curl x": q, "make": n}
	w.apply(mixedYAML)
	w.decides("rewritten", both)
	const waits = "agents.worker.mode rules rules[0]"
	if got := w.pending(); got != waits {
		t.Errorf("rewritten: %s waits, want %s", got, waits)
	}
	shown := w.ConfigState().Pending
	w.yaml = mixedYAML
	w.reopen()
	w.decides("restarted", both)
	if got := w.pending(); got != waits || w.ConfigState().Pending != shown {
		t.Errorf("restarted: %s waits as %s, want %s as %s", got, w.ConfigState().Pending, waits, shown)
	}
	if _, err := w.AcceptConfig(t.Context(), w.ConfigState().Accepted, "ann"); !errors.Is(err, config.ErrChangedSince) {
		t.Errorf("a digest that is not the file's: got %v, want ErrChangedSince", err)
	}
	w.apply(mixedYAML + "  other: {mode: bypass}\n")
	if _, err := w.AcceptConfig(t.Context(), shown, "ann"); !errors.Is(err, config.ErrChangedSince) {
		t.Errorf("the file changed since it was shown: got %v, want ErrChangedSince", err)
	}
	w.decides("nothing accepted", both)
	w.apply(mixedYAML)
	if s, err := w.AcceptConfig(t.Context(), shown, "ann"); err != nil || s.Pending != "" || s.Accepted != shown {
		t.Errorf("accepted: got %+v, %v", s, err)
	}
	after := map[string]engine.Behavior{"npm run x": q, "rm x": a, "curl x": a, "make": n}
	w.decides("accepted", after)
	if _, err := w.AcceptConfig(t.Context(), shown, "ann"); !errors.Is(err, config.ErrNothingPending) {
		t.Errorf("accepted twice: got %v, want ErrNothingPending", err)
	}
	w.reopen()
	w.decides("accepted and restarted", after)
	w.wantEvents("config_accepted by first start", "config_accepted by ann")
}

// reopen ends the host and opens the next one on the same store.
func (w *world) reopen() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// wantEvents compares the audit's rows about the configuration with the wanted ones.
func (w *world) wantEvents(want ...string) {
	w.t.Helper()
	var got []string
	for row, err := range w.Store.Audit(w.t.Context(), store.Filter{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		if row.Event == store.EventConfigAccepted || row.Event == store.EventConfigTightened {
			got = append(got, string(row.Event)+" by "+row.DecidedBy)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("audit: got %q, want %q", got, want)
	}
}

// TestTighteningIsAcceptedByItself: a purely tightening file holds whole at once, and reverting
// it is a widening.
func TestTighteningIsAcceptedByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acceptedYAML)
	tight := strings.Replace(acceptedYAML, "mode: default", "mode: explore", 1)
	w.apply(tight)
	if got := w.pending(); got != "" || w.Accepted().Digest() != w.Config().Digest() {
		t.Errorf("tightened: %s waits, want nothing", got)
	}
	w.decides("tightened", map[string]engine.Behavior{"npm run x": engine.Deny})
	w.apply(acceptedYAML)
	if got := w.pending(); got != "agents.worker.mode" {
		t.Errorf("taken back: %s waits, want agents.worker.mode", got)
	}
	w.decides("taken back", map[string]engine.Behavior{"npm run x": engine.Deny})
	w.wantEvents("config_accepted by first start", "config_tightened by configuration file")
}

// TestPendingIsCheckedAsAnyFile: a file with a rule failing its own example is no pending one;
// the earlier one goes on waiting.
func TestPendingIsCheckedAsAnyFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acceptedYAML)
	w.apply(mixedYAML)
	shown := w.ConfigState().Pending
	bad := w.parse(strings.Replace(mixedYAML, "behavior: deny}", "behavior: deny, match: [ls]}", 1))
	if _, err := w.Apply(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "test.yaml:4") {
		t.Errorf("got %v, want the example's line", err)
	}
	if s := w.ConfigState(); s.Pending != shown || !strings.Contains(s.Problem, "test.yaml:4") {
		t.Errorf("got %+v, want %s pending and the problem", s, shown)
	}
	w.apply(mixedYAML)
	if s := w.ConfigState(); s.Problem != "" {
		t.Errorf("a good file again: the problem stays: %s", s.Problem)
	}
}

// TestT15_ForgedAcceptedConfiguration is threat T15 on the accepted configuration: a value
// forged in the store counts as nothing accepted at all.
func TestT15_ForgedAcceptedConfiguration(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"another value": "UPDATE settings SET value = CAST('agents: {worker: {mode: bypass}}' AS BLOB)",
		"no value":      "DELETE FROM settings",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, acceptedYAML)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", filepath.Join(w.dirs.State, "callgate.db"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(change); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			w.yaml = strings.Replace(acceptedYAML, "mode: default", "mode: bypass", 1)
			w.open()
			w.decides("forged", map[string]engine.Behavior{"npm run x": engine.Ask, "rm x": engine.Deny, "curl x": engine.Ask})
			if _, err := w.AcceptConfig(t.Context(), w.ConfigState().Pending, "ann"); err != nil {
				t.Fatal(err)
			}
			w.decides("accepted", map[string]engine.Behavior{"npm run x": engine.Allow, "curl x": engine.Allow})
		})
	}
}

// TestReloadAcceptDecide_hammer reloads, accepts and decides at once: no decision
// is looser than both files, and the last word is the last file's.
func TestReloadAcceptDecide_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acceptedYAML)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var deciding, changing sync.WaitGroup
	for range 2 {
		deciding.Go(func() {
			for ctx.Err() == nil {
				for command, most := range map[string]engine.Behavior{"make": engine.Ask, "cat a.txt; rm -rf /": engine.Ask, "wget x": engine.Ask} {
					if d := w.evaluate("worker", w.bash(command)); d.Behavior == engine.Allow {
						t.Errorf("%s: got allow (%s), want at most %s: no file allows it", command, d.Reason, most)
					}
				}
			}
		})
	}
	changing.Go(func() {
		for i := range 10 {
			w.apply([]string{mixedYAML, acceptedYAML}[i%2])
		}
	})
	changing.Go(func() {
		for range 20 {
			_, err := w.AcceptConfig(ctx, w.ConfigState().Pending, "ann")
			if err != nil && !errors.Is(err, config.ErrNothingPending) && !errors.Is(err, config.ErrChangedSince) {
				t.Errorf("accept: %v", err)
			}
		}
	})
	changing.Wait()
	cancel()
	deciding.Wait()
	w.apply(acceptedYAML)
	if s := w.ConfigState(); s.Pending != "" {
		if _, err := w.AcceptConfig(t.Context(), s.Pending, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	w.decides("at the end", map[string]engine.Behavior{"npm run x": engine.Allow, "rm x": engine.Deny})
}

// TestLookAtConfig: the state of the file is current, right behind each change and beside any
// other reader; a missing watcher blocks no one.
func TestLookAtConfig(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dirs := config.Dirs{Home: root, Config: root, State: root}
	h, err := assembly.Open(t.Context(), assembly.Options{Config: config.Default(dirs)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	look := func(when string) {
		if err := h.LookAtConfig(t.Context()); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	look("before anything watches")
	write := func(i int) (digest string) {
		t.Helper()
		c, err := config.Parse(dirs.ConfigFile(), fmt.Appendf(nil, "agents: {worker%d: {mode: bypass}}\n", i), dirs)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.File, c.Text(), 0o600); err != nil {
			t.Fatal(err)
		}
		return c.Digest()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changed, ended := make(chan struct{}, 100), make(chan struct{})
	go func() {
		defer close(ended)
		_ = h.Watch(ctx, func([]string, error) { changed <- struct{}{} }) // it ends with ctx
	}()
	write(0)
	<-changed // it is watched
	for i := range 5 {
		digest := write(i + 1)
		var others sync.WaitGroup
		for range 3 {
			others.Go(func() { look("beside another") })
		}
		look("behind a change")
		if got := h.ConfigState().Pending; got != digest {
			t.Errorf("change %d: %s waits, want %s", i, got, digest)
		}
		others.Wait()
	}
	cancel()
	<-ended
	look("when nothing watches any more")
}
