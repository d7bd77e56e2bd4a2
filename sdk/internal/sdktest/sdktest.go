// Package sdktest runs the tests that the SDKs have in their own languages. Tests only
// use it.
package sdktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Run runs a program, which must end well.
func Run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

// Read opens the sources, so that go test runs again when one of them changed.
func Read(t *testing.T, patterns ...string) {
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
