package scaffold

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// MissingError is a build without its compiler.
type MissingError struct {
	// Compiler is the missing program.
	Compiler string
	// Install says how to get it on this system, one way a line.
	Install []string
}

// Error implements error.
func (e *MissingError) Error() string {
	return e.Compiler + " was not found; install it with:\n  " + strings.Join(e.Install, "\n  ")
}

// ways are how to install one compiler; empty where another says it.
type ways struct{ debian, macOS, other string }

// on are the ways for one system, the likeliest first; Linux of all kinds gets
// Debian's and the general one.
func (w ways) on(goos string) []string {
	var out []string
	switch {
	case goos == "darwin" && w.macOS != "":
		out = append(out, w.macOS)
	case goos == "linux" && w.debian != "":
		out = append(out, w.debian+"   (Debian, Ubuntu)")
	}
	if w.other != "" {
		out = append(out, w.other)
	}
	return out
}

func missing(compiler string, w ways) error {
	return &MissingError{Compiler: compiler, Install: w.on(runtime.GOOS)}
}

// oldest and newest are the versions of LLVM looked for under names with a number, such as
// clang-16; 14 is the first to build the SDK for C.
const oldest, newest = 14, 30

// numbered are the names of an LLVM program, the newest version first, then the one
// without a number and, on macOS, where Homebrew keeps LLVM out of PATH.
func numbered(program string) []string {
	var names []string
	for version := newest; version >= oldest; version-- {
		names = append(names, fmt.Sprintf("%s-%d", program, version))
	}
	names = append(names, program)
	if runtime.GOOS == "darwin" {
		names = append(names, "/opt/homebrew/opt/llvm/bin/"+program, "/usr/local/opt/llvm/bin/"+program)
	}
	return names
}

// firstOf returns the first fitting program in PATH, or at the absolute path given; empty:
// none. Of one name every program in PATH is tried: the first may lack a feature of another.
// Relative directories in PATH are skipped.
func firstOf(names []string, fits func(program string) bool) string {
	for _, name := range names {
		dirs := filepath.SplitList(os.Getenv("PATH"))
		if filepath.IsAbs(name) {
			dirs = []string{filepath.Dir(name)}
		}
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				continue
			}
			path, err := exec.LookPath(filepath.Join(dir, filepath.Base(name)))
			if err == nil && (fits == nil || fits(path)) {
				return path
			}
		}
	}
	return ""
}

// answer is a program's output; empty when it fails.
func answer(ctx context.Context, program string, args ...string) string {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// version is the first line of a program's version.
func version(ctx context.Context, program string, args ...string) string {
	line, _, _ := strings.Cut(answer(ctx, program, args...), "\n")
	return line
}

// clang finds a clang for WebAssembly; Apple's has no such target.
func clang(ctx context.Context) (string, error) {
	program := firstOf(numbered("clang"), func(p string) bool {
		return strings.Contains(answer(ctx, p, "--print-targets"), "wasm32")
	})
	if program == "" {
		return "", missing(fmt.Sprintf("clang %d or later with the target wasm32", oldest), ways{
			"apt-get install clang lld", "brew install llvm lld", "clang and lld of LLVM, by your system's package manager or from https://releases.llvm.org",
		})
	}
	return program, nil
}

// linker finds the linker of LLVM for WebAssembly: of the version first, or of the nearest later one,
// and else of any version. 0 is no version.
func linker(first int) (string, error) {
	var near []string
	for version := first; version >= oldest && version <= newest; version++ {
		near = append(near, fmt.Sprintf("wasm-ld-%d", version))
	}
	program := firstOf(append(append(near, numbered("wasm-ld")...), "/opt/homebrew/opt/lld/bin/wasm-ld", "/usr/local/opt/lld/bin/wasm-ld"), nil)
	if program == "" {
		return "", missing("wasm-ld", ways{"apt-get install lld", "brew install lld", "lld of LLVM, by your system's package manager or from https://releases.llvm.org"})
	}
	return program, nil
}

// rustTarget is the directory of a Rust compiler's files for one target.
const rustTarget = "wasm32-unknown-unknown"

// rustc finds a Rust compiler with the target for WebAssembly, possibly missing in the first
// one in PATH, and reports whether it brings its own linker.
func rustc(ctx context.Context) (program string, links bool, err error) {
	var lib string
	program = firstOf([]string{"rustc"}, func(p string) bool {
		lib = filepath.Join(answer(ctx, p, "--print", "sysroot"), "lib", "rustlib")
		found, _ := filepath.Glob(filepath.Join(lib, rustTarget, "lib", "libstd-*")) // the pattern is well-formed
		return len(found) > 0
	})
	if program == "" {
		return "", false, missing("rustc with the target "+rustTarget, ways{
			"apt-get install rustc libstd-rust-dev-wasm32 lld", "brew install rustup lld && rustup default stable && rustup target add " + rustTarget,
			"rustup target add " + rustTarget + "   (wherever rustup is: https://rustup.rs)",
		})
	}
	own, _ := filepath.Glob(filepath.Join(lib, "*", "bin", "rust-lld*")) // the pattern is well-formed
	return program, len(own) > 0, nil
}

// linkerOf finds a linker for a Rust compiler without its own. One of a much later LLVM refuses the
// archives of the compiler's library: 19 those of Rust 1.63, whose LLVM is 14.
func linkerOf(ctx context.Context, rustc string) (string, error) {
	_, after, _ := strings.Cut(answer(ctx, rustc, "--version", "--verbose"), "LLVM version: ")
	major, _, _ := strings.Cut(after, ".")
	first, _ := strconv.Atoi(major) // 0 for none
	return linker(first)
}

// ascVersion is the tested version of AssemblyScript.
const ascVersion = "0.28.20"

// asc finds the AssemblyScript compiler: the project's own, the one in PATH, or one at hand in
// npx. It returns the first words of its command.
func asc(ctx context.Context, dir string) ([]string, error) {
	own := filepath.Join(dir, "node_modules", ".bin", "asc")
	if program := firstOf([]string{own, "asc"}, nil); program != "" {
		return []string{program}, nil
	}
	if npx := firstOf([]string{"npx"}, nil); npx != "" {
		argv := []string{npx, "--offline", "--yes", "--package=assemblyscript@" + ascVersion, "asc"}
		if answer(ctx, argv[0], append(slices.Clone(argv[1:]), "--version")...) != "" {
			return argv, nil
		}
	}
	return nil, missing("asc, the AssemblyScript compiler,", ways{
		other: "npm install --save-dev assemblyscript@" + ascVersion + "   (in the project; npm comes with Node.js: apt-get install npm, brew install node, or https://nodejs.org)",
	})
}

func goCompiler() (string, error) {
	program := firstOf([]string{"go"}, nil)
	if program == "" {
		return "", missing("Go 1.26 or later", ways{"Go from https://go.dev/dl (the distributions' is often older)", "brew install go", "Go from https://go.dev/dl"})
	}
	return program, nil
}

// cc finds a C compiler for this system, for unit tests.
func cc() (string, error) {
	program := firstOf([]string{"cc", "gcc", "clang"}, nil)
	if program == "" {
		return "", missing("a C compiler for this system", ways{"apt-get install gcc libc6-dev", "xcode-select --install", "gcc or clang, by your system's package manager"})
	}
	return program, nil
}

func wat2wasm() (string, error) {
	program := firstOf([]string{"wat2wasm"}, nil)
	if program == "" {
		return "", missing("wat2wasm", ways{"apt-get install wabt", "brew install wabt", "wabt, from https://github.com/WebAssembly/wabt"})
	}
	return program, nil
}
