package target

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// repository returns the repository that root is a work tree of: its directory with .git, or
// the bare repository itself. It is empty for anything else, the repository's own root included.
//
// Both sides must say so. The .git file of the work tree names the repository, and anybody with
// a directory can write one. So the repository's entry must name this very directory, and lie
// where git keeps it. RATIONALE.md, "Why are the work trees of a repository one project?".
func (w *walker) repository(root string) string {
	owner, ok := w.fs.(Owner)
	dotgit := below(root, ".git")
	if n := w.look(dotgit); !ok || n.err != nil || !n.mode.IsRegular() {
		return ""
	}
	entry, ok := w.gitDir(dotgit, root)
	if !ok || path.Base(path.Dir(entry)) != "worktrees" || !w.names(entry, dotgit) {
		return ""
	}
	common := path.Dir(path.Dir(entry))
	if w.commonDir(entry) != common || !w.isGitDir(common) || !w.sameOwner(owner, root, entry, common) {
		return ""
	}
	switch {
	case path.Base(common) == ".git":
		return path.Dir(common)
	case strings.Contains(common, "/.git/"): // of a sub-module
		return ""
	case !errors.Is(w.look(below(common, ".git")).err, fs.ErrNotExist):
		return "" // a project made to look like a bare repository
	}
	return common
}

// names reports whether the entry of a work tree names its .git file, written without a link: git
// writes it so, and a link could be made to lead elsewhere later.
func (w *walker) names(entry, dotgit string) bool {
	file := below(entry, "gitdir")
	if !w.look(file).mode.IsRegular() {
		return false
	}
	text, state := w.config(file)
	back := strings.TrimRight(text, "\r\n")
	if !path.IsAbs(back) {
		back = path.Join(entry, back)
	}
	return state == present && back == dotgit
}

// sameOwner reports whether one account owns the work tree, its entry and the repository, and
// the work tree is no more open to others than the repository: in a directory for temporary
// files, another account could make a removed one again.
func (w *walker) sameOwner(owner Owner, root, entry, common string) bool {
	w.ctx.steps.Add(3)
	of, closed, err := owner.Owner(common)
	tree, treeClosed, treeErr := owner.Owner(root)
	at, _, atErr := owner.Owner(entry)
	return errors.Join(err, treeErr, atErr) == nil && tree == of && at == of && (treeClosed || !closed)
}
