// Package c holds the C SDK; its tests are written in C and run from here.
package c

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		// A double where a number's field belongs: the SDK wrote over the member behind it.
		t.Run(filepath.Base(cc)+"/field of another type", func(t *testing.T) {
			t.Parallel()
			source := filepath.Join(t.TempDir(), "wrong.c")
			for typeName, good := range map[string]bool{"callgate_number": true, "double": false, "callgate_text": false} {
				text := "#include \"callgate.h\"\nstruct input { " + typeName + " copies; callgate_text file; };\n" +
					"const callgate_field fields[] = {CALLGATE_FIELD(struct input, copies, CALLGATE_NUMBER, false)};\n"
				if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := exec.CommandContext(t.Context(), cc, "-std=c99", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-fsyntax-only", "-I.", source).CombinedOutput()
				if good != (err == nil) || !good && !strings.Contains(string(out), "pointer type mismatch") {
					t.Errorf("%s: got %v\n%s", typeName, err, out)
				}
			}
		})
		t.Run(filepath.Base(cc)+"/C++", func(t *testing.T) {
			t.Parallel()
			sdktest.Run(t, cc, "-x", "c++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "callgate.h")
		})
	}
}
