package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox"
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

// TestPristine: a module that counts its calls always sees the first one,
// wherever it keeps the count, also after calls in parallel and after failures.
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

// TestWarmUp: examples change neither what a module answers nor that each call
// is the first; examples it does not survive are as if there were none.
func TestWarmUp(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	short := r.WithLimits(sandbox.Limits{Timeout: 300 * time.Millisecond})
	input := []byte(`{"target":"staging/web"}`)
	for _, tt := range []struct{ module, verb, want string }{
		{"deploy", "check_permissions", `{"behavior":"allow","reason":"staging"}`},
		{"count_memory", "match_rule", `{"matched":[]}`},
		{"count_grown", "match_rule", `{"matched":[]}`},
		{"count_table", "match_rule", `{"matched":[]}`},
		{"trap", "check_read_only", `{"read_only":false}`},
		{"loop", "check_read_only", `{"read_only":false}`},
		{"exit", "check_read_only", `{"read_only":false}`},
	} {
		t.Run(tt.module, func(t *testing.T) {
			t.Parallel()
			m := load(t, r, tt.module)
			if tt.module == "loop" {
				m = load(t, short, tt.module)
			}
			before, err := m.Call(t.Context(), tt.verb, input)
			if err != nil || string(before) != tt.want {
				t.Errorf("before: got %s, %v", before, err)
			}
			var examples []sandbox.Example
			for range 4 {
				examples = append(examples, sandbox.Example{"check_permissions": input, "check_read_only": input, "match_rule": input})
			}
			m.WarmUp(t.Context(), examples)
			for range 5 {
				if got, err := m.Call(t.Context(), tt.verb, input); err != nil || string(got) != tt.want {
					t.Errorf("after: got %s, %v", got, err)
				}
			}
		})
	}
	for _, name := range []string{"count_memory", "count_table", "count_v128", "count_segment"} {
		counted := load(t, r, name)
		counted.WarmUp(t.Context(), []sandbox.Example{{"check_read_only": nil}, {"check_read_only": nil}})
		first, err := counted.Call(t.Context(), "check_read_only", nil)
		for range 3 { // whatever the state is that was found best, each call begins in it
			got, e := counted.Call(t.Context(), "check_read_only", nil)
			if string(got) != string(first) || fmt.Sprint(e) != fmt.Sprint(err) {
				t.Errorf("%s: got %s, %v; want %s, %v", name, got, e, first, err)
			}
		}
		if name == "count_memory" { // after one call the next takes less fuel
			wantError(t, first, err, sandbox.KindCode, "seen 2")
		}
	}
}

// TestClose_hammer: a module and then the runtime are closed under 16 callers;
// each call is answered or says that it came too late.
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
