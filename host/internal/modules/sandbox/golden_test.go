package sandbox_test

import (
	"github.com/callgate/callgate/host/internal/testkit/repo"

	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wabt is the version of wat2wasm for the committed modules; another one may write the same
// module in other bytes.
const wabt = "1.0.32"

// TestGolden: testdata/modules/build.sh makes the committed modules, the kernel among them, of
// their sources.
func TestGolden(t *testing.T) {
	t.Parallel()
	version, err := exec.CommandContext(t.Context(), "wat2wasm", "--version").Output()
	if got := strings.TrimSpace(string(version)); err != nil || got != wabt {
		t.Skipf("no wat2wasm %s (package wabt) to build the modules again: %q, %v", wabt, got, err)
	}
	root, dir := repo.File(), t.TempDir()
	var committed []string
	for _, pattern := range []string{"testdata/modules/*", "testdata/hostile/*", "host/internal/modules/sandbox/internal/kernel/kernel.wa*"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("nothing is %s: %v", pattern, err)
		}
		for _, f := range files {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(f) == ".wasm" {
				committed = append(committed, name)
				continue
			}
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), read(t, f), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	build := exec.CommandContext(t.Context(), "sh", "testdata/modules/build.sh")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, out)
	}
	for _, name := range committed {
		if !bytes.Equal(read(t, filepath.Join(root, name)), read(t, filepath.Join(dir, name))) {
			t.Errorf("%s is not what its source says: run testdata/modules/build.sh", name)
		}
	}
}
