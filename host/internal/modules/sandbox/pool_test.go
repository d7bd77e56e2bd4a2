package sandbox_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestBusyModule: who waits for an instance gives up with its own context.
func TestBusyModule(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{}), "loop")
	busy, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for range 64 { // more than there are slots
		running.Go(func() {
			got, err := m.Call(busy, "check_permissions", nil)
			wantError(t, got, err, sandbox.KindCancelled, "gave up")
		})
	}
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	got, err := m.Call(late, "check_permissions", nil)
	wantError(t, got, err, sandbox.KindTimeout, "too long")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "tool loop.wasm: check_permissions: time-out: ") {
		t.Errorf("got %v; want it to be the deadline", err)
	}
	cancel()
	running.Wait()
}

// TestPristine: a module counting its calls always sees the first one, with the count in any
// place, also after calls in parallel and after failures.
func TestPristine(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	for _, module := range []string{
		"count_global", "count_memory", "count_table", "count_grown_table", "count_grown",
		"count_segment", "count_v128", "count_ref", "count_world",
	} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			m := load(t, r, module)
			done := make(chan error, 8)
			for range cap(done) {
				go func() {
					var err error
					for range 20 {
						if got, e := m.Call(context.Background(), "check_read_only", nil); e != nil || string(got) != `{"read_only":true}` {
							err = errors.Join(err, e)
						}
					}
					done <- err
				}()
			}
			for range cap(done) {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestClosedModule(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{}), "deploy")
	if _, err := m.Call(t.Context(), "describe", nil); err != nil {
		t.Fatal(err)
	}
	m.Close(t.Context())
	m.Close(t.Context())
	got, err := m.Call(t.Context(), "describe", nil)
	wantError(t, got, err, sandbox.KindCancelled, "closed")
	got, err = m.Call(t.Context(), "memory", nil)
	wantError(t, got, err, sandbox.KindTrap, "no such export")
}

// TestSameModuleTwice: two modules of the same bytes do not share a fate.
func TestSameModuleTwice(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	first, second := load(t, r, "deploy"), load(t, r, "deploy")
	first.Close(t.Context())
	if got, err := second.Call(t.Context(), "describe", nil); err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestClose_hammer: a module and then the runtime are closed under 16 callers; each call is
// answered or too late.
func TestClose_hammer(t *testing.T) {
	t.Parallel()
	for _, closeModule := range []bool{true, false} {
		r, err := sandbox.New(t.Context(), sandbox.Config{})
		if err != nil {
			t.Fatal(err)
		}
		m := load(t, r, "deploy")
		started := make(chan struct{}, 16)
		var callers sync.WaitGroup
		for range cap(started) {
			callers.Go(func() {
				for n := 0; ; n++ {
					got, err := m.Call(context.Background(), "describe", nil)
					if err != nil {
						wantError(t, got, err, sandbox.KindCancelled, "closed")
						return
					}
					if n == 0 {
						started <- struct{}{}
					}
				}
			})
		}
		<-started
		if closeModule {
			m.Close(t.Context())
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		callers.Wait()
		if got, err := r.Load(t.Context(), "x.wasm", wasm(t, "deploy")); err == nil {
			t.Errorf("load after close: got %v; want an error", got)
		}
	}
}

func TestCacheIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "cache")
	for range 2 {
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := load(t, r, "deploy").Call(t.Context(), "describe", nil); err != nil {
			t.Errorf("got %s, %v", got, err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("cache directory: %v, %v; want mode 0700", info, err)
	}
}
