//go:build unix

package target_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/gate/target"
)

// repository makes a git repository, as far as one is looked at.
func repository(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFolder finds the project of a directory, with the repositories in it.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	repository(t, at("site"))
	repository(t, at("site/test/fixture"))
	repository(t, at("site/.claude/worktrees/x"))
	for _, name := range []string{"a", "b", "deep/c"} {
		repository(t, at("many/"+name))
	}
	repository(t, at("many"))
	repository(t, at("far"))
	repository(t, at("far/1/2/a"))
	repository(t, at("far/1/2/b"))
	for _, name := range []string{"site/src", "plain/x", "modules"} {
		if err := os.MkdirAll(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	repository(t, at("modules"))
	for _, name := range []string{"a", "b"} { // sub-modules and work trees have a file
		if err := os.MkdirAll(at("modules/"+name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at("modules/"+name+"/.git"), []byte("gitdir: ../.git/modules/"+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("site"), at("link")); err != nil {
		t.Fatal(err)
	}
	r := &target.Resolver{FS: target.OS()}
	for name, tc := range map[string]struct {
		want         string
		repositories int
	}{
		"site": {"site", 1}, "site/src": {"site", 1}, "site/src/not/yet": {"site", 1}, "link/src": {"site", 1}, "site/.claude/worktrees/x": {"site", 1},
		"site/test/fixture": {"site/test/fixture", 0}, "many": {"many", 2}, "far": {"far", 0}, "modules": {"modules", 0},
		"modules/a": {"modules/a", 0}, "plain/x": {"", 0}, "nothing": {"", 0},
	} {
		got, err := r.Folder(t.Context(), at(name))
		if tc.want == "" {
			if !errors.Is(err, target.ErrNoProject) {
				t.Errorf("%s: got %+v, %v; want no project", name, got, err)
			}
			continue
		}
		if err != nil || got.Path != at(tc.want) || len(got.Repositories) != tc.repositories || got.File == "" {
			t.Errorf("%s: got %+v, %v; want %s with %d repositories", name, got, err, tc.want, tc.repositories)
		}
	}
	if _, err := r.Folder(t.Context(), "/proc/self/cwd"); err == nil {
		t.Error("a directory in /proc has a project")
	}
	if _, err := (&target.Resolver{FS: target.Links(nil)}).Folder(t.Context(), at("site")); err == nil {
		t.Error("without a disk there is a project")
	}
}
