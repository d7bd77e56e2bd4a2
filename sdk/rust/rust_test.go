// Package rust holds the Rust SDK; its tests are written in Rust and run from here.
package rust

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/sdk/internal/sdktest"
)

// TestRust compiles the tests in Rust without a warning, and runs them.
func TestRust(t *testing.T) {
	t.Parallel()
	sdktest.Read(t, "*.rs", "*/*.rs")
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
			sdktest.Run(t, rustc, "-D", "warnings", "--edition", "2021", "--test", source, "-o", program)
			sdktest.Run(t, program)
		})
	}
}
