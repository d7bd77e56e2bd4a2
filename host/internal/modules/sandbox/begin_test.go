package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestCache_state: another process begins where the first one began, also when its kept state
// is spoilt.
func TestCache_state(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, step := range []struct {
		name    string
		between func()
	}{
		{"first", func() {}},
		{"kept", func() {}},
		{"spoilt", func() { s.spoil(t) }},
		{"another key", func() { _ = os.Remove(filepath.Join(s.dir, "key")) }},
	} {
		name := step.name
		step.between()
		r, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: s.dir})
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Load(context.Background(), "count_memory", wasm(t, "count_memory"))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			got, err := m.Call(context.Background(), sandbox.CheckPermissions, nil)
			if want := callFresh(t); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
			}
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if got := s.states(t); len(got) != 1 {
			t.Errorf("%s: got %q; want one state", name, got)
		}
	}
}

// callFresh is count_memory's answer without a cache.
func callFresh(t *testing.T) []byte {
	t.Helper()
	m := load(t, newRuntime(t, sandbox.Limits{}), "count_memory")
	got, err := m.Call(t.Context(), sandbox.CheckPermissions, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *store) states(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "states", "*.code"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// spoil changes a byte of each state.
func (s *store) spoil(t *testing.T) {
	t.Helper()
	for _, path := range s.states(t) {
		data := read(t, path)
		data[len(data)/2] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
