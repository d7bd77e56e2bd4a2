// Package c holds the C SDK; its tests are written in C and run from here.
package c

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestC compiles the tests in C without a warning, and runs them.
func TestC(t *testing.T) {
	t.Parallel()
	read(t, "*.h", "*/*.c")
	var compilers []string
	for _, name := range []string{"gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			compilers = append(compilers, path)
		}
	}
	if len(compilers) == 0 {
		t.Skip("no C compiler: install gcc or clang to run the tests of the C SDK")
	}
	for _, cc := range compilers {
		for _, source := range []string{"test/callgate_test.c", "deploy/deploy_test.c"} {
			t.Run(filepath.Base(cc)+"/"+source, func(t *testing.T) {
				t.Parallel()
				program := filepath.Join(t.TempDir(), "test")
				run(t, cc, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", program)
				run(t, program)
			})
		}
		t.Run(filepath.Base(cc)+"/C++", func(t *testing.T) {
			t.Parallel()
			run(t, cc, "-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "callgate.h")
		})
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// read opens the sources, so that go test runs again when one of them changed.
func read(t *testing.T, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("nothing is %s: %v", pattern, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}
