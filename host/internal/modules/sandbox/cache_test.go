package sandbox_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// store is a cache's directory, and the reports of its runtimes.
type store struct {
	dir string

	mu       sync.Mutex
	reported []string
}

func newStore(t *testing.T) *store {
	t.Helper()
	return &store{dir: filepath.Join(t.TempDir(), "cache")}
}

// use has the modules loaded and called in a runtime of its own, as in a process
// of its own.
func (s *store) use(t *testing.T, limits sandbox.Limits, modules ...string) {
	t.Helper()
	r, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: s.dir, Limits: limits, Report: func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reported = append(s.reported, err.Error())
	}})
	if err != nil {
		t.Error(err)
		return
	}
	for _, name := range modules {
		m, err := r.Load(context.Background(), name, wasm(t, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if got, err := m.Call(context.Background(), "describe", nil); err != nil || !strings.Contains(string(got), `"name"`) {
			t.Errorf("%s: got %q, %v; want its description", name, got, err)
		}
	}
	if err := r.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// entries are the files of compiled code, by name.
func (s *store) entries(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "compiled", "*.code"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (s *store) entry(t *testing.T) string {
	t.Helper()
	files := s.entries(t)
	if len(files) != 1 {
		t.Fatalf("got %v; want one entry", files)
	}
	return files[0]
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCache: the second process compiles nothing.
func TestCache(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.use(t, sandbox.Limits{}, "deploy")
	first := read(t, s.entry(t))
	s.use(t, sandbox.Limits{}, "deploy", "deploy")
	if !bytes.Equal(read(t, s.entry(t)), first) {
		t.Error("the entry was written again; each has a tag of its own")
	}
	if len(s.reported) != 0 {
		t.Errorf("reported %q; want nothing", s.reported)
	}
}

// TestLoadKnown: a module's bytes are read once, and must have the digest.
func TestLoadKnown(t *testing.T) {
	t.Parallel()
	data := wasm(t, "deploy")
	other := bytes.Clone(data)
	other[len(other)-1]++
	dir, reads := t.TempDir(), 0
	load := func(bytes []byte) error {
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close(context.Background()) }()
		m, err := r.LoadKnown(t.Context(), "deploy", sandbox.Source{Digest: sandbox.Digest(data), Size: len(data), Read: func() ([]byte, error) {
			reads++
			return bytes, nil
		}})
		if err == nil && m.Digest() != sandbox.Digest(data) {
			t.Errorf("got the digest %s", m.Digest())
		}
		return err
	}
	for _, wrong := range [][]byte{other, data[:len(data)-1], nil} {
		if err := load(wrong); err == nil {
			t.Error("bytes with another digest: loaded")
		}
	}
	reads = 0
	for range 2 {
		if err := load(data); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times; want once", reads)
	}
}

// TestCache_limits: code made under other limits is other code, unless the limits have no
// influence on it.
func TestCache_limits(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i, limits := range []sandbox.Limits{{}, {MemoryPages: 32}, {TableEntries: 100}} {
		s.use(t, limits, "deploy")
		if got := len(s.entries(t)); got != i+1 {
			t.Errorf("%+v: got %d entries, want %d", limits, got, i+1)
		}
	}
	s.use(t, sandbox.Limits{Fuel: 1_000_000, OutputBytes: 1000}, "deploy")
	if got := len(s.entries(t)); got != 3 {
		t.Errorf("with limits of calls: got %d entries, want 3", got)
	}
}

// TestT18_Cache: a spoilt entry costs time and one line, and is replaced.
func TestT18_Cache(t *testing.T) {
	t.Parallel()
	other := newStore(t)
	other.use(t, sandbox.Limits{}, "deploy")
	for name, spoil := range map[string]func(*store) []byte{
		"one bit of the code": func(s *store) []byte {
			data := read(t, s.entry(t))
			data[len(data)-100] ^= 1
			return data
		},
		"cut off":         func(s *store) []byte { return read(t, s.entry(t))[:1000] },
		"empty":           func(s *store) []byte { return nil },
		"of another host": func(s *store) []byte { return read(t, other.entry(t)) },
		"of another module": func(s *store) []byte {
			path := s.entry(t)
			s.use(t, sandbox.Limits{}, "echo")
			for _, e := range s.entries(t) {
				if e != path {
					defer os.Remove(e)
					return read(t, e)
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.use(t, sandbox.Limits{}, "deploy")
			path := s.entry(t)
			good := read(t, path)
			bad := spoil(s)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			s.use(t, sandbox.Limits{}, "deploy")
			if len(s.reported) != 1 || !strings.Contains(s.reported[0], path) {
				t.Errorf("reported %q; want one line that names the entry", s.reported)
			}
			if now := read(t, path); bytes.Equal(now, bad) || len(now) != len(good) {
				t.Errorf("got %d bytes; want the entry replaced", len(now))
			}
			s.use(t, sandbox.Limits{}, "deploy")
			if len(s.reported) != 1 {
				t.Errorf("reported %q; want nothing more", s.reported)
			}
		})
	}
}

// TestT18_CacheKey: with another key, all entries are foreign.
func TestT18_CacheKey(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.use(t, sandbox.Limits{}, "deploy")
	if err := os.WriteFile(filepath.Join(s.dir, "key"), make([]byte, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	s.use(t, sandbox.Limits{}, "deploy")
	if len(s.reported) != 2 || !strings.Contains(s.reported[0], "another key") || !strings.Contains(s.reported[1], "another key") {
		t.Errorf("reported %q; want a line on the code and one on the state", s.reported)
	}
}

// TestCache_unwritable: an unwritable cache costs time only.
func TestCache_unwritable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	s := newStore(t)
	if err := os.Mkdir(s.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	s.use(t, sandbox.Limits{}, "deploy")
	if len(s.reported) != 1 {
		t.Errorf("reported %q; want one line", s.reported)
	}
}

// TestCache_hammer: processes starting at once on one cache, some of them empty.
func TestCache_hammer(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for range 2 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { s.use(t, sandbox.Limits{}, "deploy", "echo", "claims_deploy") })
		}
		wg.Wait()
	}
	if len(s.reported) != 0 {
		t.Errorf("reported %q; want nothing", s.reported)
	}
	if got := len(s.entries(t)); got != 3 {
		t.Errorf("got %d entries; want 3", got)
	}
}

// TestCache_concurrentLoads: modules at hand do not wait for compilations, and each gets its
// own code.
func TestCache_concurrentLoads(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.use(t, sandbox.Limits{}, "deploy")
	r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: s.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	var wg sync.WaitGroup
	for _, name := range []string{"deploy", "echo", "claims_deploy", "globs", "same_name", "deploy", "echo"} {
		wg.Go(func() {
			m, err := r.Load(t.Context(), name, wasm(t, name))
			if err != nil {
				t.Error(err)
				return
			}
			got, err := m.Call(t.Context(), "describe", nil)
			want, err2 := load(t, newRuntime(t, sandbox.Limits{}), name).Call(t.Context(), "describe", nil)
			if err != nil || err2 != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: got %q, %v; want %q, %v", name, got, err, want, err2)
			}
		})
	}
	wg.Wait()
}
