//go:build unix

package target_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/gate/target"
)

// TestClaudePlaces: the plans, the work tree and the scratch directory of a session count
// when they are there, owned by the account, closed to others and no link.
func TestClaudePlaces(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	project := repository(t, filepath.Join(home, "site"))
	tree := repository(t, filepath.Join(project, ".claude", "worktrees", "x"))
	plans := filepath.Join(home, ".claude", "plans")
	must(os.MkdirAll(plans, 0o700))
	r := &target.Resolver{FS: target.OS()}
	places := func(session, cwd string, dirs ...string) []string {
		t.Helper()
		got, err := r.ClaudePlaces(t.Context(), session, home, cwd, dirs)
		must(err)
		return got
	}
	want := func(name string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	want("plans", places("s", project, project), plans)
	want("a work tree", places("s", filepath.Join(tree, "src"), project), plans, tree)
	want("a work tree of no working directory", places("s", tree), plans)
	want("a directory that is no work tree", places("s", filepath.Join(project, ".claude", "worktrees"), project), plans)

	id := fmt.Sprintf("%x", func() []byte { b := make([]byte, 16); _, _ = rand.Read(b); return b }())
	session := id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
	base := fmt.Sprintf("/tmp/claude-%d", os.Getuid())
	if info, err := os.Lstat("/tmp"); err == nil && info.IsDir() {
		_, errBase := os.Lstat(base)
		pad := filepath.Join(base, "-callgate-test-"+id, session, "scratchpad")
		must(os.MkdirAll(pad, 0o700))
		t.Cleanup(func() {
			_ = os.RemoveAll(filepath.Dir(filepath.Dir(pad)))
			if os.IsNotExist(errBase) {
				_ = os.Remove(base) // unless it is in use by now
			}
		})
		want("a scratch directory", places(session, project), plans, pad)
		want("another session's", places("00000000-0000-0000-0000-000000000000", project), plans)
		want("no id of a session", places("../"+session, project), plans)
		must(os.Chmod(filepath.Dir(pad), 0o777))
		want("open to others", places(session, project), plans)
		must(os.Chmod(filepath.Dir(pad), 0o700))
		must(os.Rename(pad, pad+"2"))
		must(os.Symlink(home, pad))
		want("a link", places(session, project), plans)
	}

	must(os.Chmod(plans, 0o777))
	want("plans open to others", places("s", project))
	must(os.Remove(plans))
	must(os.Symlink(home, plans))
	want("plans that are a link", places("s", project))
}
