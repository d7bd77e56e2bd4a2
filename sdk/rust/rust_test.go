// Package rust holds the Rust SDK; its tests are written in Rust and run from here.
package rust

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRust compiles the tests in Rust without a warning, and runs them.
func TestRust(t *testing.T) {
	t.Parallel()
	read(t, "*.rs", "*/*.rs")
	rustc, err := exec.LookPath("/usr/bin/rustc")
	if err != nil {
		rustc, err = exec.LookPath("rustc")
	}
	if err != nil {
		t.Skip("no rustc: install rustc (Debian: apt-get install rustc) to run the tests of the Rust SDK")
	}
	for _, source := range []string{"callgate_test.rs", "deploy/deploy.rs"} {
		t.Run(source, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "test")
			run(t, rustc, "-D", "warnings", "--edition", "2021", "--test", source, "-o", program)
			run(t, program)
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
