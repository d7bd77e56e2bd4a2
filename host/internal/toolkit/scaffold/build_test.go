package scaffold_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
)

// programs puts shell scripts, by their names, alone into PATH; each begins in a
// directory of its own when its name has one, in the order of the first letters.
func programs(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("stands in for compilers with shell scripts")
	}
	root := t.TempDir()
	path := []string{filepath.Join(root, "a"), filepath.Join(root, "b"), "relative", ""}
	for name, script := range scripts {
		if filepath.Dir(name) == "." {
			name = "a/" + name
		}
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
}

// A compiler with a version, otherwise writing the file after -o.
const compiler = `
case "$1" in
--version) echo "FAKE 1.2"; echo "Target: x"; exit 0;;
--print-targets) echo "    wasm32     - WebAssembly 32-bit"; exit 0;;
esac
while [ $# -gt 0 ]; do case "$1" in -o) out=$2; shift 2;; *) last=$1; shift;; esac; done
echo "$last:1:2: warning: said by the compiler" >&2
printf 'module of %s' "$last" >"$out"
`

func projectIn(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{scaffold.ManifestFile: text, "x.c": "", "x.rs": "", "x.wat": "", "x.ts": "", "callgate.ts": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBuild(t *testing.T) {
	programs(t, map[string]string{"wat2wasm": compiler})
	dir := projectIn(t, "name: x\nlanguage: wat\nmain: x.wat\n")
	var said, commands bytes.Buffer
	built, err := scaffold.Build(context.Background(), scaffold.BuildOptions{Dir: dir, Log: &said, Commands: &commands})
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(dir, "x.wasm"))
	if err != nil || string(module) != "module of x.wat" || built.Path != filepath.Join(dir, "x.wasm") || built.Size != int64(len(module)) {
		t.Errorf("got %q, %v, %+v", module, err, built)
	}
	if built.Compiler != "wat2wasm FAKE 1.2" {
		t.Errorf("compiler: got %q", built.Compiler)
	}
	if got := said.String(); got != "x.wat:1:2: warning: said by the compiler\n" {
		t.Errorf("the compiler's words: got %q", got)
	}
	if got := commands.String(); !strings.Contains(got, "wat2wasm x.wat -o ") || strings.Count(got, "\n") != 1 {
		t.Errorf("commands: got %q", got)
	}
	if got := contents(t, dir); len(got) != 7 {
		t.Errorf("files beside: got %q", got)
	}
}

// TestBuildFails: a refusal, a missing file or an interruption of the compiler leaves the
// earlier module.
func TestBuildFails(t *testing.T) {
	for name, tt := range map[string]struct{ script, want string }{
		"refused":  {"echo 'x.wat:3:4: error: no' >&2; exit 2\n", "wat2wasm ended with exit code 2"},
		"half":     {`while [ "$1" != -o ]; do shift; done; printf half >"$2"; exit 1` + "\n", "exit code 1"},
		"nothing":  {"exit 0\n", "the compiler left no module"},
		"too late": {"exec sleep 600\n", "context"},
	} {
		t.Run(name, func(t *testing.T) {
			sleep, _ := filepath.EvalSymlinks("/bin/sleep")
			programs(t, map[string]string{"wat2wasm": "[ \"$1\" = --version ] && { echo 1; exit; }\n" + strings.ReplaceAll(tt.script, "sleep 600", sleep+" 600")})
			dir := projectIn(t, "name: x\nlanguage: wat\nmain: x.wat\n")
			out := filepath.Join(dir, "x.wasm")
			if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			told := writer(func() {
				if name == "too late" {
					cancel()
				}
			})
			_, err := scaffold.Build(ctx, scaffold.BuildOptions{Dir: dir, Commands: told})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got, err := os.ReadFile(out); err != nil || string(got) != "before" {
				t.Errorf("the module of before: got %q, %v", got, err)
			}
		})
	}
}

type writer func()

func (w writer) Write(p []byte) (int, error) { w(); return len(p), nil }

// TestMissing: each language names the compiler to install.
func TestMissing(t *testing.T) {
	for _, tt := range []struct {
		language, main string
		there          map[string]string
		want           []string
	}{
		{"go", ".", nil, []string{"Go 1.26 or later was not found; install it with:", "https://go.dev/dl"}},
		{"rust", "x.rs", map[string]string{"rustc": "exit 0\n"}, []string{"rustc with the target wasm32-unknown-unknown was not found", "rustup target add wasm32-unknown-unknown"}},
		{"c", "x.c", map[string]string{"wasm-ld": compiler, "clang": "echo '    aarch64 - AArch64'\n"}, []string{"clang 14 or later with the target wasm32 was not found", "lld"}},
		{"c", "x.c", map[string]string{"clang-15": compiler}, []string{"wasm-ld was not found"}},
		{"assemblyscript", "x.ts", map[string]string{"npx": "exit 1\n"}, []string{"asc, the AssemblyScript compiler, was not found", "npm install --save-dev assemblyscript@0.28.20"}},
		{"wat", "x.wat", nil, []string{"wat2wasm was not found", "wabt"}},
	} {
		t.Run(tt.language, func(t *testing.T) {
			programs(t, tt.there)
			_, err := scaffold.Build(context.Background(), scaffold.BuildOptions{Dir: projectIn(t, "name: x\nlanguage: "+tt.language+"\nmain: "+tt.main+"\n")})
			var missing *scaffold.MissingError
			if !errors.As(err, &missing) || len(missing.Install) == 0 {
				t.Fatalf("got %v, want a MissingError", err)
			}
			if ready := scaffold.Ready(context.Background(), tt.language); ready == nil || ready.Error() != err.Error() {
				t.Errorf("ready: got %v, want %v", ready, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
		})
	}
}

// TestCompilers: of several the fitting one is taken, the newest first.
func TestCompilers(t *testing.T) {
	const sysroot = `
[ "$1" = --print ] && { echo "${0%/*}/sysroot"; exit; }
`
	for _, tt := range []struct {
		name, language, main string
		there                map[string]string
		want                 []string
	}{
		{"the newest clang", "c", "x.c", map[string]string{"clang": compiler, "clang-14": compiler, "clang-16": compiler, "wasm-ld-14": compiler, "b/wasm-ld-19": compiler}, []string{"/a/clang-16 --target=wasm32", "/b/wasm-ld-19 --no-entry"}},
		{"the rustc that has the target", "rust", "x.rs", map[string]string{
			"rustc": sysroot, "b/rustc": sysroot + compiler, "b/sysroot/lib/rustlib/wasm32-unknown-unknown/lib/libstd-1.rlib": "", "wasm-ld": compiler,
		}, []string{"/b/rustc --edition 2021", "-C linker=", "/a/wasm-ld"}},
		{"the linker of rustup", "rust", "x.rs", map[string]string{
			"rustc": sysroot + compiler, "a/sysroot/lib/rustlib/wasm32-unknown-unknown/lib/libstd-1.rlib": "", "a/sysroot/lib/rustlib/x86/bin/rust-lld": "",
		}, []string{"/a/rustc --edition 2021", "link-arg=--stack-first --remap-path-prefix"}},
		{"asc of npx", "as", "x.ts", map[string]string{"npx": "[ \"$5\" = --version ] && { echo 'Version 0.28.20'; exit; }\n" + compiler}, []string{"/a/npx --offline --yes --package=assemblyscript@0.28.20 asc x.ts"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			programs(t, tt.there)
			var commands bytes.Buffer
			_, err := scaffold.Build(context.Background(), scaffold.BuildOptions{Dir: projectIn(t, "name: x\nlanguage: "+tt.language+"\nmain: "+tt.main+"\n"), Commands: &commands})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(commands.String(), want) {
					t.Errorf("got %q, want %q in it", commands.String(), want)
				}
			}
		})
	}
}

// TestUnitTests_noneOfGo: go test passes without a test, and the project's unit tests counted
// as passed.
func TestUnitTests_noneOfGo(t *testing.T) {
	t.Parallel()
	dir := projectIn(t, "name: x\nlanguage: go\nmain: x.go\n")
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/x\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	passed, err := scaffold.UnitTests(t.Context(), scaffold.BuildOptions{Dir: dir, Log: t.Output()})
	if passed || err == nil || !strings.Contains(err.Error(), "no unit tests: the project has no x_test.go") {
		t.Errorf("got %v, %v", passed, err)
	}
}

// TestUnitTests: a failing test is no error; their absence is one.
func TestUnitTests(t *testing.T) {
	const cc = `while [ "$1" != -o ]; do shift; done; printf '#!/bin/sh\necho tested\nexit %s\n' "$CODE" >"$2"; /bin/chmod +x "$2"` + "\n"
	for _, tt := range []struct {
		name, language, main, code string
		there                      map[string]string
		passed                     bool
		want                       error
	}{
		{"good", "c", "x.c", "0", map[string]string{"cc": cc}, true, nil},
		{"bad", "c", "x.c", "1", map[string]string{"cc": cc}, false, nil},
		{"does not compile", "c", "x.c", "", map[string]string{"cc": "exit 1\n"}, false, errors.ErrUnsupported},
		{"no engine", "ts", "x.ts", "", nil, false, errors.ErrUnsupported},
		{"none", "wat", "x.wat", "", nil, false, fs.ErrNotExist},
	} {
		t.Run(tt.name, func(t *testing.T) {
			programs(t, tt.there)
			t.Setenv("CODE", tt.code)
			var said bytes.Buffer
			passed, err := scaffold.UnitTests(context.Background(), scaffold.BuildOptions{Dir: projectIn(t, "name: x\nlanguage: "+tt.language+"\nmain: "+tt.main+"\n"), Log: &said})
			if passed != tt.passed || (err == nil) != (tt.want == nil) || tt.want == fs.ErrNotExist && !errors.Is(err, tt.want) {
				t.Errorf("got %v, %v (%s), want %v, %v", passed, err, said.String(), tt.passed, tt.want)
			}
			if tt.code != "" && said.String() != "tested\n" {
				t.Errorf("said: got %q", said.String())
			}
		})
	}
}
