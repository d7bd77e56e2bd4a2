package sandbox_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

var (
	modules = repo.File("testdata/modules")
	hostile = repo.File("testdata/hostile")
)

// wasm reads one golden module, or a hostile one.
func wasm(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(modules, name+".wasm"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(hostile, name+".wasm"))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// newRuntime gives guests a minute, and fuel for longer, unless the test is about these:
// testing machines are busy.
func newRuntime(tb testing.TB, limits sandbox.Limits) *sandbox.Runtime {
	tb.Helper()
	if limits.Timeout == 0 {
		limits.Timeout = time.Minute
	}
	if limits.Fuel == 0 {
		limits.Fuel = 1 << 50
	}
	r, err := sandbox.New(context.Background(), sandbox.Config{Limits: limits})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return r
}

func load(tb testing.TB, r *sandbox.Runtime, name string) *sandbox.Module {
	tb.Helper()
	m, err := r.Load(context.Background(), name+".wasm", wasm(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// verbs are a tool module's exports with an envelope.
var verbs = []string{"check_permissions", "check_read_only", "match_rule", "generate_suggestions"}

func TestCallAnswers(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	m := load(t, r, "deploy")
	for _, tt := range []struct{ name, export, input, want string }{
		{"allow", "check_permissions", `{"target":"staging/web"}`, `{"behavior":"allow","reason":"staging"}`},
		{"ask", "check_permissions", `{"target":"production/web"}`, `{"behavior":"ask","bypass_immune":true,"reason":"production","message":"production needs a person"}`},
		{"no input", "check_permissions", "", `{"behavior":"passthrough"}`},
		{"read only", "check_read_only", `{"action":"status"}`, `{"read_only":true}`},
		{"match", "match_rule", `{"rules":[{"content":"staging/*"}],"target":"staging/web"}`, `{"matched":[0]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := m.Call(t.Context(), tt.export, []byte(tt.input))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
	if !m.Has("describe_call") || m.Has("_start") {
		t.Errorf("Has: describe_call %v, _start %v; want true, false", m.Has("describe_call"), m.Has("_start"))
	}
	if len(m.Digest()) != 64 || m.Size() == 0 || m.Name() != "deploy.wasm" {
		t.Errorf("digest %q, size %d, name %q", m.Digest(), m.Size(), m.Name())
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{ModuleBytes: 4096})
	for _, tt := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"missing export", wasm(t, "missing_export"), "load tool x.wasm: export match_rule: missing"},
		{"wrong signature", wasm(t, "wrong_signature"), "load tool x.wasm: export check_permissions: want () -> i32, got (i32) -> i32"},
		{"bad import", wasm(t, "bad_import"), "load tool x.wasm: import env.system: a tool module may import only extism:host/env and wasi_snapshot_preview1"},
		{"unknown function", wasm(t, "unknown_function"), "load tool x.wasm: import extism:host/env.run: this host has no such function"},
		{"imported global", wasm(t, "import_global"), "load tool x.wasm: import extism:host/env.shared: a tool module may import functions only"},
		{"stolen fuel", wasm(t, "fuel_thief"), "load tool x.wasm: not a module this host runs: at 0x2e9: code section, function 22: there is no global 0"},
		{"call of what the host adds", wasm(t, "fuel_call"), "load tool x.wasm: not a module this host runs: at 0x2e0: code section, function 22: there is no function 23"},
		{"imported fuel", wasm(t, "fuel_import"), "load tool x.wasm: import callgate:fuel.refill: a tool module may import only"},
		{"reserved export", wasm(t, "reserved_export"), `load tool x.wasm: not a module this host runs: at 0x226: export section: names with "callgate:" are the host's own`},
		{"empty", nil, "load tool x.wasm: not a module this host runs: "},
		{"text", []byte("#!/bin/sh\nrm -rf /\n"), "load tool x.wasm: not a module this host runs: "},
		{"cut off", wasm(t, "deploy")[:700], "load tool x.wasm: not a module this host runs: "},
		{"too large", make([]byte, 4097), "load tool x.wasm: limit module_kib: 4097 bytes, at most 4096"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := r.Load(t.Context(), "x.wasm", tt.wasm)
			if m != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want error %q", m, err, tt.want)
			}
		})
	}
}

// TestTimeout: the clock ends a call before its fuel, and the module's other verbs answer
// afterwards. Fuel and all other ends: see TestHostile.
func TestTimeout(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{Timeout: 300 * time.Millisecond, MemoryPages: 64})
	for _, module := range []string{"loop", "fork", "fill", "drain"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			m := load(t, r, module)
			for range 2 {
				start := time.Now()
				got, err := m.Call(t.Context(), "check_permissions", []byte(`{}`))
				wantError(t, got, err, sandbox.KindTimeout, "took too long")
				if took := time.Since(start); took > 20*time.Second { // of 300 ms; testing machines are busy
					t.Errorf("took %v", took)
				}
				if got, err := m.Call(t.Context(), "check_read_only", []byte(`{}`)); string(got) != `{"read_only":false}` {
					t.Errorf("after the failure: got %s, %v", got, err)
				}
			}
		})
	}
}

func wantError(t *testing.T, got []byte, err error, kind sandbox.Kind, part string) {
	t.Helper()
	var failure *sandbox.Error
	if got != nil || !errors.As(err, &failure) {
		t.Errorf("got %q, %v; want an *Error of kind %s", got, err, kind)
		return
	}
	if failure.Kind != kind || !strings.Contains(failure.Message, part) {
		t.Errorf("got %s: %q; want %s: %q", failure.Kind, failure.Message, kind, part)
	}
}

func TestTimeout_start(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{Timeout: 20 * time.Millisecond})
	got, err := load(t, r, "start_loop").Call(t.Context(), "check_permissions", nil)
	wantError(t, got, err, sandbox.KindTimeout, "")
}

// TestHarmless runs modules with odd but permitted uses of the host.
func TestHarmless(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	for _, module := range []string{"double_free", "sleep", "abi", "everything"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			m := load(t, r, module)
			for range 3 {
				got, err := m.Call(t.Context(), "check_permissions", []byte(`{"input":{}}`))
				if err != nil || string(got) != `{"behavior":"passthrough"}` {
					t.Errorf("got %s, %v", got, err)
				}
			}
		})
	}
}

// TestLog: warnings and errors reach the logger, tamed; the rest does not.
func TestLog(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r, err := sandbox.New(t.Context(), sandbox.Config{Logger: slog.New(slog.NewTextHandler(&out, nil)), Limits: sandbox.Limits{Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := load(t, r, "abi").Call(t.Context(), "check_permissions", []byte(`{"input":{}}`)); err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{"level=WARN msg=\"module says\" module=abi.wasm text=hello", "level=ERROR msg=\"module says\" module=abi.wasm text=\"\""}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(want) || !strings.HasSuffix(lines[0], want[0]) || !strings.HasSuffix(lines[1], want[1]) {
		t.Errorf("got %q; want lines that end in %q", lines, want)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]sandbox.Config{
		"a file as cache": {CacheDir: file},
		"too much memory": {Limits: sandbox.Limits{MemoryPages: 65537}},
	} {
		if r, err := sandbox.New(t.Context(), cfg); err == nil {
			t.Errorf("%s: got %v; want an error", name, r)
		}
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{}), "loop")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	got, err := m.Call(ctx, "check_permissions", nil)
	wantError(t, got, err, sandbox.KindCancelled, "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want it to be context.Canceled", err)
	}
}

// TestProcessGoesOn: while guests run without a pause, by loops, recursion or bulk
// instructions, the collector can stop the world.
func TestProcessGoesOn(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	for _, module := range []string{"loop", "fork", "fill", "drain"} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			m := load(t, r, module)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() {
				_, err := m.Call(ctx, "check_permissions", nil)
				done <- err
			}()
			for range 3 {
				runtime.GC() // would never return
			}
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v; want it cancelled", err)
			}
		})
	}
}

func TestInputIsCapped(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{InputBytes: 1 << 16})
	m := load(t, r, "deploy")
	got, err := m.Call(t.Context(), "check_permissions", make([]byte, 1<<16+1))
	wantError(t, got, err, sandbox.KindInput, "65537 bytes: at most 65536")
	if got, err := m.Call(t.Context(), "check_permissions", []byte(strings.Repeat(" ", 1<<16))); err != nil {
		t.Errorf("at the limit: got %s, %v", got, err)
	}
	small := load(t, r.WithLimits(sandbox.Limits{InputBytes: 10}), "deploy")
	got, err = small.Call(t.Context(), "check_permissions", make([]byte, 11))
	wantError(t, got, err, sandbox.KindInput, "11 bytes: at most 10")
}
