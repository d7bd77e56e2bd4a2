package modules_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// watched is a directory under watch.
type watchedDir struct {
	t        *testing.T
	dir      string
	c        *modules.Catalog
	modules  *swaptest.Modules
	outcomes chan modules.Outcome

	mu       sync.Mutex
	reported []string
	said     chan struct{}
}

// watch opens a catalogue over dir and watches it until the test ends.
func watch(t *testing.T, dir string, poll time.Duration) *watchedDir {
	t.Helper()
	return watchWith(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo", Poll: poll})
}

func watchWith(t *testing.T, opts modules.Options) *watchedDir {
	t.Helper()
	w := &watchedDir{t: t, dir: opts.Dir, modules: swaptest.Open(t, repo.File("testdata")), outcomes: make(chan modules.Outcome, 1000), said: make(chan struct{}, 1000)}
	opts.Report = func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reported = append(w.reported, err.Error())
		w.said <- struct{}{}
	}
	w.c = open(t, opts)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.c.Watch(ctx, func(o modules.Outcome) { w.outcomes <- o }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch: got %v; want the context's error", err)
		}
	})
	return w
}

// await waits for the wanted swap.
func (w *watchedDir) await(what wire.SwapKind, is []byte) wire.ModuleSwap {
	w.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case o := <-w.outcomes:
			for _, s := range o.Swaps {
				if s.What == what && (is == nil || s.Is == sandbox.Digest(is)) {
					return s
				}
			}
		case <-late:
			w.t.Fatalf("not %s within a minute; modules %+v", what, w.c.Modules())
		}
	}
}

func (w *watchedDir) reports(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, r := range w.reported {
		if strings.Contains(r, text) {
			n++
		}
	}
	return n
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// TestWatch: changes of a directory's files take effect, by the system's events (an hour
// between looks) and by looking alone.
func TestWatch(t *testing.T) {
	t.Parallel()
	for name, poll := range map[string]time.Duration{"told": time.Hour, "looking": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watch(t, t.TempDir(), poll)
			v1, v2, v3 := w.modules.Version(1), w.modules.Version(2), w.modules.Version(3)
			write(t, w.dir, "d.wasm", v1)
			if s := w.await(wire.SwapLoaded, v1); s.Was != "" || s.Module != "deploy" {
				t.Errorf("got %+v", s)
			}
			write(t, w.dir, "d.wasm", v2[:900]) // written half
			if s := w.await(wire.SwapKept, v1); s.Found != sandbox.Digest(v2[:900]) || !strings.Contains(s.Why, "stays in use") {
				t.Errorf("got %+v", s)
			}
			write(t, w.dir, "d.wasm", v2) // and then whole
			w.await(wire.SwapSwapped, v2)
			write(t, w.dir, "new.tmp", v3) // as careful writers do
			rename(t, filepath.Join(w.dir, "new.tmp"), filepath.Join(w.dir, "d.wasm"))
			w.await(wire.SwapSwapped, v3)
			rename(t, filepath.Join(w.dir, "d.wasm"), filepath.Join(w.dir, "e.wasm"))
			w.await(wire.SwapRemoved, nil)
			if e := w.c.Lookup("Deploy"); e.File != "e.wasm" || e.Err != nil {
				t.Errorf("after its file was renamed: got %+v", e)
			}
			if err := os.Remove(filepath.Join(w.dir, "e.wasm")); err != nil {
				t.Fatal(err)
			}
			w.await(wire.SwapRemoved, nil)
			if e := w.c.Lookup("Deploy"); e.Module != "echo" {
				t.Errorf("after its file was removed: got %+v; want the fallback", e)
			}
		})
	}
}

// TestWatch_directoryComesAndGoes: a directory not yet there, one removed with its modules, and
// another one of that name.
func TestWatch_directoryComesAndGoes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "modules")
	w := watch(t, dir, 5*time.Millisecond)
	v1, v2 := w.modules.Version(1), w.modules.Version(2)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "d.wasm", v1)
	w.await(wire.SwapLoaded, v1)
	rename(t, dir, dir+".away")
	w.await(wire.SwapRemoved, nil)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "d.wasm", v2)
	w.await(wire.SwapLoaded, v2)
}

// TestWatch_flood: many changes in a moment are read together.
func TestWatch_flood(t *testing.T) {
	t.Parallel()
	w := watch(t, t.TempDir(), time.Hour)
	var last []byte
	for n := range 200 {
		last = w.modules.Version(n)
		write(t, w.dir, "d.wasm", last)
	}
	reloads := 0
	for w.c.Lookup("Deploy").Digest != sandbox.Digest(last) {
		select {
		case <-w.outcomes:
			reloads++
		case <-time.After(time.Minute):
			t.Fatal("the last version did not take effect within a minute")
		}
	}
	if reloads > 100 {
		t.Errorf("%d reloads of 200 changes in a moment; want them read together", reloads)
	}
}

// TestWatch_badBytesOnce: refused bytes are not compiled again after any other change; they are
// when a person asks.
func TestWatch_badBytesOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	m := swaptest.Open(t, repo.File("testdata"))
	bad, _ := m.Broken(3, 1) // it never describes itself
	tried := 0
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: time.Minute, Fuel: 3_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	c := open(t, modules.Options{Runtime: r, Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo", Compiling: func(file string) {
		if file == "bad.wasm" {
			tried++
		}
	}})
	write(t, dir, "bad.wasm", bad)
	ctx, cancel := context.WithCancel(t.Context())
	outcomes := make(chan modules.Outcome, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Watch(ctx, func(o modules.Outcome) { outcomes <- o })
	}()
	next := func() modules.Outcome {
		select {
		case o := <-outcomes:
			return o
		case <-time.After(time.Minute):
			t.Fatal("nothing happened within a minute")
			return modules.Outcome{}
		}
	}
	if o := next(); len(o.Swaps) != 1 || o.Swaps[0].What != wire.SwapRefused || !strings.Contains(o.Swaps[0].Why, "tool bad.wasm: describe: fuel") {
		t.Errorf("got %+v; want it refused with module and verb", o)
	}
	for n := range 3 {
		write(t, dir, "d.wasm", m.Version(n))
		for c.Lookup("Deploy").Digest != sandbox.Digest(m.Version(n)) {
			for _, s := range next().Swaps {
				if s.File == "bad.wasm" {
					t.Errorf("told again: %+v", s)
				}
			}
		}
	}
	cancel()
	<-done
	if tried != 1 {
		t.Errorf("compiled %d times; want once", tried)
	}
	reload(t, c)
	if tried != 2 {
		t.Errorf("compiled %d times; want once more when a person asks", tried)
	}
	if p := c.Modules(); p[1].State != wire.ModuleRefused || !strings.Contains(p[1].Problem, "describe: fuel") {
		t.Errorf("got %+v", p)
	}
}

// TestWatch_bytesWithoutATrace: a file with unchanged size and times is read all the same, now
// and then; a system without events is reported once.
func TestWatch_bytesWithoutATrace(t *testing.T) {
	restore := modules.SetNotify(func() (*fsnotify.Watcher, error) { return nil, errors.New("too many open files") })
	defer restore()
	w := watch(t, t.TempDir(), time.Millisecond)
	v1, v2 := w.modules.Version(1), w.modules.Version(2)
	at := time.Now().Add(-time.Hour)
	put := func(data []byte) {
		temporary := filepath.Join(t.TempDir(), "x")
		write(t, filepath.Dir(temporary), "x", data)
		if err := os.Chtimes(temporary, at, at); err != nil {
			t.Fatal(err)
		}
		rename(t, temporary, filepath.Join(w.dir, "d.wasm"))
	}
	put(v1)
	w.await(wire.SwapLoaded, v1)
	put(v2)
	w.await(wire.SwapSwapped, v2)
	if n := w.reports("so it is checked every 1ms: too many open files"); n != 1 {
		t.Errorf("said %d times that nothing tells of changes; want once", n)
	}
}

// TestWatch_unreadableDirectory: nothing changes, and it is said once.
func TestWatch_unreadableDirectory(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	w := watch(t, dir, 2*time.Millisecond)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Dir(dir), filepath.Base(dir), []byte("a file"))
	for w.reports("nothing changed") == 0 {
		select {
		case <-w.said:
		case <-time.After(time.Minute):
			t.Fatal("nothing was said within a minute")
		}
	}
	if n := w.reports("nothing changed"); n != 1 {
		t.Errorf("said %d times; want once", n)
	}
}

// TestWatch_badName: a file with an impossible name for a module was not loaded, and neither
// the list nor an event said so.
func TestWatch_badName(t *testing.T) {
	t.Parallel()
	w := watch(t, t.TempDir(), time.Hour)
	write(t, w.dir, "my deploy\n.wasm", w.modules.Version(1))
	s := w.await(wire.SwapRefused, nil)
	if s.File != `"my deploy\n.wasm"` || !strings.Contains(s.Why, "want a name of letters") {
		t.Errorf("got %+v", s)
	}
	for _, m := range w.c.Modules() {
		if !m.Embedded && (m.File != s.File || m.State != wire.ModuleRefused) {
			t.Errorf("got %+v", m)
		}
	}
	if e := w.c.Lookup("Deploy"); e.Module != "echo" {
		t.Errorf("got %+v; want the tool for unknown names", e)
	}
}
