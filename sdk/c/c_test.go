// Package c holds the C SDK; its tests are written in C and run from here.
package c

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/sdk/internal/sdktest"
)

// TestC compiles the tests in C without a warning, and runs them.
func TestC(t *testing.T) {
	t.Parallel()
	sdktest.Read(t, "*.h", "*/*.c")
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
				sdktest.Run(t, cc, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source, "-o", program)
				sdktest.Run(t, program)
			})
		}
		t.Run(filepath.Base(cc)+"/C++", func(t *testing.T) {
			t.Parallel()
			sdktest.Run(t, cc, "-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "callgate.h")
		})
	}
}
