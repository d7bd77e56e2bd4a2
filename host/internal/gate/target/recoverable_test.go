package target_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// TestRecoverable holds the reader of the index against git's own, in each version.
func TestRecoverable(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	for _, version := range []string{"2", "3", "4"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			write := func(name, text string) {
				t.Helper()
				p := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			git := func(args ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "init.defaultBranch=main"}, args...)...)
				cmd.Dir = root
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
			}
			git("init", "-q")
			for _, name := range []string{"same", "longer", "as-long", "src/a.go", "src/ab.go", "src/deep/c.go", "mixed/kept"} {
				write(name, "text of "+name+"\n")
			}
			git("add", ".")
			write("named", "x")
			if version == "3" {
				git("add", "-N", "named") // only version 3 and 4 have its flag
			}
			git("update-index", "--index-version", map[bool]string{true: "4", false: "2"}[version == "4"])
			write("longer", "something else that is longer\n")
			write("as-long", "text of as-lonG\n")
			write("mixed/new", "y")
			write("build/out", "z")
			if err := os.Symlink("same", filepath.Join(root, "link")); err != nil {
				t.Fatal(err)
			}
			want := map[string]engine.Recoverable{
				"same": engine.RecoverableYes, "src": engine.RecoverableYes, "src/a.go": engine.RecoverableYes, "src/ab.go": engine.RecoverableYes, "src/deep/c.go": engine.RecoverableYes,
				"longer": engine.RecoverableNo, "build": engine.RecoverableNo, "build/out": engine.RecoverableNo, "mixed": engine.RecoverableNo,
				"as-long": "", "link": "", "gone": "", ".git": "", ".git/config": "",
				"named": map[bool]engine.Recoverable{true: "", false: engine.RecoverableNo}[version == "3"],
			}
			r := &target.Resolver{FS: target.OS()}
			for name, answer := range want {
				if got := r.Recoverable(t.Context(), []string{filepath.Join(root, name)})[0]; got != answer {
					t.Errorf("%s: got %q, want %q", name, got, answer)
				}
			}
		})
	}
}
