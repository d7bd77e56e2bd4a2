package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/plugins"
)

// TestMain: this program is also the compiler of its own runtimes, a good one
// under one name, and bad ones under others.
func TestMain(m *testing.M) {
	if len(os.Args) >= 3 && os.Args[1] == "compile-module" {
		os.Exit(compileAs(os.Args[2]))
	}
	os.Exit(compiledtest.Main(plugins.Modules(), func(cache string) int {
		sandbox.Compiled = cache
		return m.Run()
	}))
}

func compileAs(kind string) int {
	switch kind {
	case "good":
	case "panics":
		panic("index out of range \x1b[31m[5]")
	case "rubbish":
		fmt.Print(strings.Repeat("rubbish", 1000))
		return 0
	case "nothing":
		return 0
	case "no exit 0":
		return 3
	case "signal":
		endBy(syscall.SIGKILL)
	case "hangs":
		hang()
	case "floods":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<20)); err != nil {
				return 1
			}
		}
	case "parent":
		return parent()
	default:
		return compileBadly(kind)
	}
	if err := sandbox.CompileModule(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func endBy(sig syscall.Signal) {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Signal(sig)
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// compileBadly compiles well, and spoils the answer.
func compileBadly(kind string) int {
	var out bytes.Buffer
	if err := sandbox.CompileModule(os.Stdin, &out); err != nil {
		return 1
	}
	parts, err := compileproc.Unpack(out.Bytes(), 4)
	if err != nil {
		return 1
	}
	switch kind {
	case "truncated":
		_, err = os.Stdout.Write(out.Bytes()[:out.Len()-1])
		return code(err)
	case "short code":
		parts[3] = parts[3][:len(parts[3])-1]
	case "changed code":
		parts[3][len(parts[3])/2] ^= 1
	case "no code":
		parts[3] = nil
	case "another module":
		parts[0] = fmt.Appendf(nil, `{"id": [%d]}`, len(parts[0]))
	case "no facts":
		parts[1] = []byte("{")
	case "no stub":
		parts[2] = []byte("\x00asm\x01\x00\x00\x00")
	}
	return code(compileproc.Pack(os.Stdout, parts...))
}

func code(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// hang reports its start by the pipe in the last argument, if any; and its end, since the pipe
// is closed then.
func hang() {
	if len(os.Args) > 3 {
		f, err := os.OpenFile(os.Args[3], os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("here\n")
		}
		if err != nil {
			panic(err)
		}
		defer runtime.KeepAlive(f)
	}
	select {}
}

// parent compiles for ever, until it is killed.
func parent() int {
	r, err := sandbox.New(context.Background(), sandbox.Config{Compiler: []string{own(), "compile-module", "hangs", os.Args[3]}})
	if err != nil {
		return 1
	}
	_, _ = r.Load(context.Background(), "any", []byte("\x00asm\x01\x00\x00\x00"))
	return 1
}

func own() string {
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return program
}

// apartFrom is a runtime with this program as compiler.
func apartFrom(tb testing.TB, kind, cache string, limits sandbox.Limits) *sandbox.Runtime {
	tb.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		tb.Skip("no processes here")
	}
	if limits.Timeout == 0 {
		limits.Timeout = time.Minute
	}
	r, err := sandbox.New(tb.Context(), sandbox.Config{
		CacheDir: cache, Limits: limits, Compiler: []string{own(), "compile-module", kind},
		Report: func(err error) { tb.Errorf("reported %v", err) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = r.Close(context.Background()) })
	if !r.Features().Apart {
		tb.Skip("the engine of this platform compiles in this process only")
	}
	return r
}

// TestApart: code from another process runs, with a cache and without; with one, it is compiled
// once.
func TestApart(t *testing.T) {
	t.Parallel()
	for name, cache := range map[string]string{"cache": t.TempDir(), "none": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			describe := func(kind string) {
				m := load(t, apartFrom(t, kind, cache, sandbox.Limits{}), "deploy")
				if got, err := m.Call(t.Context(), "describe", nil); err != nil || !strings.Contains(string(got), `"name"`) {
					t.Errorf("got %q, %v; want its description", got, err)
				}
			}
			describe("good")
			if cache != "" {
				describe("panics") // it is never called
			}
		})
	}
}

// TestApart_refuses: a module's defect gets the same words as when this process compiles it.
func TestApart_refuses(t *testing.T) {
	t.Parallel()
	limits := sandbox.Limits{Functions: 20}
	for name, module := range map[string][]byte{
		"no module": []byte("no module"), "empty": []byte("\x00asm\x01\x00\x00\x00"), "functions": padded(t, "deploy", 30),
		"broken": with(t, "deploy", 1, []byte{0, 0x1a, 0x0b}), "import": wasm(t, "bad_import"), "tables": wasm(t, "tables_many"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, want := newRuntime(t, limits).Load(t.Context(), "m", module)
			_, got := apartFrom(t, "good", "", limits).Load(t.Context(), "m", module)
			if want == nil || got == nil || got.Error() != want.Error() || sandbox.LimitOf(got) != sandbox.LimitOf(want) {
				t.Errorf("got %v; want %v", got, want)
			}
		})
	}
}

// TestApart_fails: any failure of the other process is that module's failure.
func TestApart_fails(t *testing.T) {
	t.Parallel()
	const failed = "load tool m: not a module this host compiles: the compiler failed: "
	for kind, want := range map[string]string{
		"panics":         failed + "exit status 2: panic: index out of range [31m[5]",
		"no exit 0":      failed + "exit status 3",
		"signal":         failed,
		"floods":         failed + "it answers too much",
		"rubbish":        failed + compileproc.ErrAnswer.Error(),
		"nothing":        failed + compileproc.ErrAnswer.Error(),
		"truncated":      failed + compileproc.ErrAnswer.Error(),
		"short code":     failed + "not an entry, or cut off",
		"changed code":   failed + "not an entry, or cut off",
		"no code":        failed + "not an entry, or cut off",
		"no stub":        "load tool m: export describe: missing",
		"no facts":       failed + "unexpected",
		"another module": failed + "it answers for another module",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r := apartFrom(t, kind, t.TempDir(), sandbox.Limits{CompileBytes: 256 << 20})
			m, err := r.Load(t.Context(), "m", wasm(t, "deploy"))
			if err == nil || !strings.HasPrefix(err.Error(), want) || sandbox.LimitOf(err) != "" {
				t.Errorf("got %v, %v; want %q", m, err, want)
			}
		})
	}
}

// TestApart_starts: a missing compiler is reported.
func TestApart_starts(t *testing.T) {
	t.Parallel()
	r, err := sandbox.New(t.Context(), sandbox.Config{Compiler: []string{"/nowhere/callgate"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.Background()) }()
	if _, err := r.Load(t.Context(), "m", wasm(t, "deploy")); err == nil || !strings.Contains(err.Error(), "start the compiler: ") {
		t.Errorf("got %v; want it told", err)
	}
}

// TestApart_ends: a hanging process is ended by the time limit of compilations, by its caller
// and with the runtime.
func TestApart_ends(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(r *sandbox.Runtime, cancel func()){
		"time":    func(*sandbox.Runtime, func()) {},
		"caller":  func(_ *sandbox.Runtime, cancel func()) { cancel() },
		"runtime": func(r *sandbox.Runtime, _ func()) { _ = r.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := sandbox.Limits{CompileTime: time.Hour}
			if name == "time" {
				limits.CompileTime = 100 * time.Millisecond
			}
			r := apartFrom(t, "hangs", "", limits)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			loaded := make(chan error)
			go func() {
				_, err := r.Load(ctx, "m", wasm(t, "deploy"))
				loaded <- err
			}()
			end(r, cancel)
			if err := <-loaded; err == nil || name == "time" && sandbox.LimitOf(err) != "compile_time" || name == "caller" && !errors.Is(err, context.Canceled) {
				t.Errorf("got %v; want it given up", err)
			}
		})
	}
}

// TestApart_bomb: a module too large to begin in this process, since it could not be ended, is
// ended by the bounds of the other one.
func TestApart_bomb(t *testing.T) {
	t.Parallel()
	nested := slices.Concat([]byte{0}, slices.Repeat([]byte{3, 0x40}, 50_000), slices.Repeat([]byte{0x0b}, 50_000), []byte{0x0b})
	bomb := with(t, "deploy", 1, nested)
	for want, limits := range map[string]sandbox.Limits{
		"compile_time": {CompileTime: time.Second, CompileBytes: 16 << 30},
		"compile_mib":  {CompileTime: time.Hour, CompileBytes: 64 << 20},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			if raceflag.Enabled && want == "compile_mib" {
				t.Skip("the race detector's own memory is no part of this")
			}
			r := apartFrom(t, "good", "", limits)
			m, err := r.Load(t.Context(), "bomb", bomb)
			if sandbox.LimitOf(err) != want {
				t.Errorf("got %v, %v; want the limit %s", m, err, want)
			}
			if m, err := r.WithLimits(sandbox.Limits{CompileTime: time.Minute, CompileBytes: 1 << 30}).Load(t.Context(), "deploy", wasm(t, "deploy")); err != nil {
				t.Errorf("got %v, %v; want the next module loaded", m, err)
			}
		})
	}
}

// TestApart_two: runtimes do not wait for each other.
func TestApart_two(t *testing.T) {
	t.Parallel()
	hung := apartFrom(t, "hangs", "", sandbox.Limits{CompileTime: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = hung.Load(ctx, "m", wasm(t, "deploy")) })
	cache := t.TempDir()
	for range 2 {
		wg.Go(func() {
			r := apartFrom(t, "good", cache, sandbox.Limits{})
			if _, err := r.Load(t.Context(), "m", wasm(t, "deploy")); err != nil {
				t.Error(err)
			}
			cancel()
		})
	}
	wg.Wait()
}
