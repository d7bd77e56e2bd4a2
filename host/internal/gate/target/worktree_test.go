//go:build unix

package target_test

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/gate/target"
)

// treeWorld is a directory with the repository site, its work tree tree, and another repository.
type treeWorld struct {
	t   *testing.T
	top string
}

// newTreeWorld makes them as far as Callgate looks at one, or with byGit whole ones.
func newTreeWorld(t *testing.T, byGit bool) treeWorld {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := treeWorld{t, top}
	if !byGit {
		for _, name := range []string{"site", "other"} {
			w.write(name+"/.git/HEAD", "ref: refs/heads/main\n")
			w.must(errors.Join(os.Mkdir(w.at(name+"/.git/objects"), 0o755), os.Mkdir(w.at(name+"/.git/refs"), 0o755)))
		}
		w.write("tree/.git", "gitdir: "+w.at("site/.git/worktrees/tree")+"\n")
		w.write(entry+"HEAD", "ref: refs/heads/tree\n")
		w.write(entry+"commondir", "../..\n")
		w.write(entry+"gitdir", w.at("tree/.git")+"\n")
		return w
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git")
	}
	for _, name := range []string{"site", "other"} {
		w.git(".", "init", "-q", name)
		w.git(name, "commit", "-q", "--allow-empty", "-m", "first")
	}
	w.git("site", "worktree", "add", "-q", "../tree")
	return w
}

func (w treeWorld) git(dir string, args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.at(dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (w treeWorld) at(name string) string { return filepath.Join(w.top, name) }

func (w treeWorld) write(name, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.at(name)), 0o755))
	w.must(os.WriteFile(w.at(name), []byte(text), 0o644))
}

func (w treeWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// entry is where site keeps its work tree.
const entry = "site/.git/worktrees/tree/"

// TestRepositoryOfWorkTree: a work tree belongs to its repository when git made it so, and to none
// when only one side says so, whoever wrote it.
func TestRepositoryOfWorkTree(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(w treeWorld)
		cwd    string
		want   string // the repository
	}{
		"a work tree":     {nil, "tree", "site"},
		"by git":          {nil, "tree", "site"},
		"a deep place":    {func(w treeWorld) { w.write("tree/a/b/x", "") }, "tree/a/b", "site"},
		"the repository":  {nil, "site", ""},
		"another project": {nil, "other", ""},
		"inside, by git":  {func(w treeWorld) { w.git("site", "worktree", "add", "-q", ".worktrees/a/b") }, "site/.worktrees/a/b", "site"},
		"through a link":  {func(w treeWorld) { w.must(os.Symlink("tree", w.at("link"))) }, "link", "site"},
		"relative paths, as git 2.48 writes": {func(w treeWorld) {
			w.write("tree/.git", "gitdir: ../site/.git/worktrees/tree\n")
			w.write(entry+"gitdir", "../../../../tree/.git\n")
		}, "tree", "site"},
		"moved by git": {func(w treeWorld) { w.git("site", "worktree", "move", "../tree", "../moved") }, "moved", "site"},
		"a bare repository, by git": {func(w treeWorld) {
			w.git(".", "clone", "-q", "--bare", "site", "bare.git")
			w.git("bare.git", "worktree", "add", "-q", "../leaf")
		}, "leaf", "bare.git"},
		"a removed one made again there": {func(w treeWorld) {
			w.must(os.RemoveAll(w.at("tree")))
			w.write("tree/.git", "gitdir: "+w.at(entry)+"\n")
		}, "tree", "site"},

		"a moved one": {func(w treeWorld) { w.must(os.Rename(w.at("tree"), w.at("moved"))) }, "moved", ""},
		"a removed one that is a repository now, by git": {func(w treeWorld) {
			w.must(os.RemoveAll(w.at("tree")))
			w.git(".", "init", "-q", "tree")
		}, "tree", ""},
		"pruned by git": {func(w treeWorld) {
			w.must(os.Rename(w.at("tree"), w.at("away")))
			w.git("site", "worktree", "prune")
			w.must(os.Rename(w.at("away"), w.at("tree")))
		}, "tree", ""},
		"a copy":         {func(w treeWorld) { w.must(os.CopyFS(w.at("copy"), os.DirFS(w.at("tree")))) }, "copy", ""},
		"a forged .git":  {func(w treeWorld) { w.write("evil/.git", "gitdir: "+w.at(entry)+"\n") }, "evil", ""},
		"a linked .git":  {func(w treeWorld) { w.write("evil/x", ""); w.must(os.Symlink("../tree/.git", w.at("evil/.git"))) }, "evil", ""},
		"names the .git": {func(w treeWorld) { w.write("evil/.git", "gitdir: "+w.at("site/.git")+"\n") }, "evil", ""},
		"a forged entry outside": {func(w treeWorld) {
			w.write("evil/.git", "gitdir: "+w.at("evil/git/worktrees/x")+"\n")
			w.write("evil/git/worktrees/x/HEAD", "ref: refs/heads/main\n")
			w.write("evil/git/worktrees/x/commondir", w.at("site/.git")+"\n")
			w.write("evil/git/worktrees/x/gitdir", w.at("evil/.git")+"\n")
		}, "evil", ""},
		"an entry by a link in evil": {func(w treeWorld) {
			w.write("evil/x/HEAD", "ref: refs/heads/main\n")
			w.write("evil/x/commondir", w.at("site/.git")+"\n")
			w.write("evil/x/gitdir", w.at("evil/.git")+"\n")
			w.write("evil/.git", "gitdir: "+w.at("evil/worktrees")+"/x\n")
			w.must(os.Symlink(".", w.at("evil/worktrees")))
		}, "evil", ""},
		"a link at the removed one's place": {func(w treeWorld) {
			w.must(os.RemoveAll(w.at("tree")))
			w.write("evil/.git", "gitdir: "+w.at(entry)+"\n")
			w.must(os.Symlink("evil", w.at("tree")))
		}, "tree", ""},
		"an entry that names a link": {func(w treeWorld) {
			w.must(os.Symlink("tree", w.at("link")))
			w.write(entry+"gitdir", w.at("link/.git")+"\n")
		}, "tree", ""},
		"an entry that is a link": {func(w treeWorld) {
			w.write("evil/back", w.at("tree/.git")+"\n")
			w.must(os.Remove(w.at(entry + "gitdir")))
			w.must(os.Symlink(w.at("evil/back"), w.at(entry+"gitdir")))
		}, "tree", ""},
		"an entry without commondir": {func(w treeWorld) { w.must(os.Remove(w.at(entry + "commondir"))) }, "tree", ""},
		"another commondir":          {func(w treeWorld) { w.write(entry+"commondir", w.at("other/.git")+"\n") }, "tree", ""},
		"a .git that goes on":        {func(w treeWorld) { w.write("tree/.git", "gitdir: "+w.at(entry)+"\nx\n") }, "tree", ""},
		"open to all":                {func(w treeWorld) { w.must(os.Chmod(w.at("tree"), 0o777)) }, "tree", ""},
		"a sub-module, by git": {func(w treeWorld) {
			w.git("site", "-c", "protocol.file.allow=always", "submodule", "add", "-q", w.at("other"), "sub")
		}, "site/sub", ""},
		"a work tree of a sub-module, by git": {func(w treeWorld) {
			w.git("site", "-c", "protocol.file.allow=always", "submodule", "add", "-q", w.at("other"), "sub")
			w.git("site/sub", "worktree", "add", "-q", w.at("leaf"))
		}, "leaf", ""},
		"a project that looks bare": {func(w treeWorld) {
			w.write("other/HEAD", "ref: refs/heads/main\n")
			w.write("other/objects/x", "")
			w.write("other/refs/x", "")
			w.write("other/worktrees/x/HEAD", "ref: refs/heads/main\n")
			w.write("other/worktrees/x/commondir", "../..\n")
			w.write("other/worktrees/x/gitdir", w.at("evil/.git")+"\n")
			w.write("evil/.git", "gitdir: "+w.at("other/worktrees/x")+"\n")
		}, "evil", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTreeWorld(t, strings.HasSuffix(name, "by git"))
			if tt.change != nil {
				tt.change(w)
			}
			cwd := w.at(tt.cwd)
			got, err := (&target.Resolver{FS: target.OS()}).Project(t.Context(), cwd, []string{cwd})
			if err != nil || len(got.Roots) == 0 {
				t.Fatalf("got %+v, %v", got, err)
			}
			want := ""
			if tt.want != "" {
				want = w.at(tt.want)
			}
			if got.Repository != want {
				t.Errorf("got repository %q, want %q", got.Repository, want)
			}
			if place := cmp.Or(want, got.Roots[0]); got.Name() != place {
				t.Errorf("rules are stored in %q, want %q", got.Name(), place)
			}
		})
	}
}

// TestRepositoryOfWorkTree_claimed: a current directory outside the working directories chooses no
// project, and so no repository.
func TestRepositoryOfWorkTree_claimed(t *testing.T) {
	t.Parallel()
	w := newTreeWorld(t, false)
	got, err := (&target.Resolver{FS: target.OS()}).Project(t.Context(), w.at("tree"), []string{w.at("other")})
	if err != nil || got.Name() != w.at("other") {
		t.Errorf("got %+v, %v", got, err)
	}
}
