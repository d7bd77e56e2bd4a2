package modules_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// held is a logger holding the logging module until it is released.
type held struct {
	slog.Handler
	came, released chan struct{}
}

// Handle implements slog.Handler.
func (h *held) Handle(context.Context, slog.Record) error {
	h.came <- struct{}{}
	<-h.released
	return nil
}

// newHeld opens a catalogue over a directory with a module on trial until the test releases it.
func newHeld(t *testing.T, opts modules.Options) (*held, *watchedDir) {
	t.Helper()
	h := &held{Handler: slog.NewTextHandler(io.Discard, nil), came: make(chan struct{}, 100), released: make(chan struct{})}
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: 10 * time.Minute}, Logger: slog.New(h)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	opts.Runtime, opts.Embedded, opts.Fallback, opts.Poll = r, embedded(t, "echo"), "echo", time.Millisecond
	opts.Settings.Grants = map[string]modules.Rights{"slow_example": {Names: []string{"slow_example"}}}
	w := watchWith(t, opts)
	t.Cleanup(func() {
		select {
		case <-h.released:
		default:
			close(h.released) // the test failed
		}
	})
	return h, w
}

// TestBehind: a module endlessly on trial delays nothing: the catalogue opens, the embedded
// tools answer, a good module beside it loads, another one is tried and put in force by a
// person, and the directory is read again. All of it comes before the trial ends. Until then
// calls of its name fail, and never go to the fallback.
func TestBehind(t *testing.T) {
	t.Parallel()
	h, w := newHeld(t, modules.Options{Dir: directory(t, "slow_example", "deploy"), Behind: true})
	<-h.came
	if e := w.c.Lookup("echo"); e.Err != nil || e.Module != "echo" {
		t.Errorf("an embedded tool: got %+v", e)
	}
	trying := func() {
		t.Helper()
		if e := w.c.Lookup("slow_example"); e.Err == nil || !strings.Contains(e.Err.Error(), "being compiled and tested") || e.Tool != nil {
			t.Errorf("the module that is tried: got %+v; want calls of it to fail", e)
		}
	}
	trying()
	w.await(wire.SwapLoaded, wasm(t, "deploy"))
	if e := w.c.Lookup("Deploy"); e.Err != nil || e.Module != "deploy" {
		t.Errorf("the good module beside it: got %+v", e)
	}
	if got, err := w.c.Test(t.Context(), "new.wasm", wasm(t, "everything"), modules.Rights{}); err != nil || got.Name == "" {
		t.Errorf("another one: got %+v, %v", got, err)
	}
	out, err := w.c.Change(t.Context(), func() error {
		return os.WriteFile(filepath.Join(w.dir, "new.wasm"), wasm(t, "everything"), 0o600)
	})
	if err != nil || len(out.Swaps) != 1 || out.Swaps[0].What != wire.SwapLoaded {
		t.Errorf("put in force: got %+v, %v", out, err)
	}
	if _, err := w.c.Configure(t.Context(), modules.Settings{Grants: map[string]modules.Rights{"slow_example": {Names: []string{"slow_example"}}}}); err != nil {
		t.Error(err)
	}
	if _, err := w.c.Reload(t.Context()); err != nil {
		t.Error(err)
	}
	trying()
	for _, m := range w.c.Modules() {
		if m.File == "slow_example.wasm" && m.State != wire.ModuleTrying {
			t.Errorf("it stands as %s; want trying", m.State)
		}
	}
	close(h.released)
	w.await(wire.SwapLoaded, wasm(t, "slow_example"))
	if e := w.c.Lookup("slow_example"); e.Err != nil || e.Module != "slow_example" {
		t.Errorf("after its trial: got %+v", e)
	}
}

// TestBehind_changed: while a changed file is tried, the module before it answers; a trial of a
// file changed again is void, and a deleted file has none.
func TestBehind_changed(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	write(t, dir, "slow_example.wasm", wasm(t, "deploy"))
	h, w := newHeld(t, modules.Options{Dir: dir})
	write(t, dir, "slow_example.wasm", wasm(t, "slow_example"))
	<-h.came
	if e := w.c.Lookup("Deploy"); e.Err != nil && !strings.Contains(e.Err.Error(), "not granted") {
		t.Errorf("while another version is tried: got %+v", e)
	}
	write(t, dir, "slow_example.wasm", wasm(t, "everything"))
	w.await(wire.SwapSwapped, wasm(t, "everything"))
	write(t, dir, "slow_example.wasm", append(wasm(t, "slow_example"), 0, 2, 1, 'x')) // other bytes
	<-h.came
	if err := os.Remove(filepath.Join(dir, "slow_example.wasm")); err != nil {
		t.Fatal(err)
	}
	for range w.outcomes {
		if ms := w.c.Modules(); len(ms) == 2 && ms[1].State == wire.ModuleMissing {
			break
		}
	}
	close(h.released)
}

// TestTrialBudget: the examples of a module have one budget of fuel together, however
// many there are; the refusal names the limit and where it is set. With more, it loads.
func TestTrialBudget(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(hostile + "/slow_examples.wasm")
	if err != nil {
		t.Fatal(err)
	}
	dir := directory(t)
	write(t, dir, "slow_examples.wasm", data)
	with := func(fuel int64) modules.Options {
		return modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo", Dir: dir, Settings: modules.Settings{Grants: map[string]modules.Rights{
			"slow_examples": {Names: []string{"slow_examples"}, Limits: sandbox.Limits{Fuel: fuel, Timeout: time.Minute}},
		}}}
	}
	few := open(t, with(20_000_000))
	wantProblem(t, few, "slow_examples.wasm", "slow_examples.wasm: rule_examples: fuel (modules.grants.slow_examples.limits.fuel): testing the examples takes more than 200000000 units of fuel, 10 times the limit of one call")
	if e := few.Lookup("slow_examples"); e.Err == nil {
		t.Errorf("got %+v; want its calls to fail", e)
	}
	noProblems(t, open(t, with(600_000_000)))
}
