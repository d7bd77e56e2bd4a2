package target

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// maxConfig bounds the size of configuration files. A real .git/config has a few KiB.
const maxConfig = 256 << 10

// facts hold for everything in one directory: its own and, where it has none, those of the
// directories above.
type facts struct {
	root string
	// git are settings of the repository, tools those of other programs with configuration in
	// every directory above.
	git   []string
	tools []string
}

// repo returns the facts for a resolved path; nil when there is nothing to tell.
func (w *walker) repo(p string) *engine.Repo {
	if p == nullDevice {
		return nil // border refuses to look beside it, and nothing runs there
	}
	dir := p
	var python []string
	if n := w.look(p); p != "/" && (n.err != nil || n.mode&fs.ModeDir == 0) {
		dir = path.Dir(p)
	} else if n.err == nil {
		python = w.pythonHere(p)
	}
	f := w.factsAt(dir)
	dirty := slices.Concat(f.git, f.tools, w.goEnv, python)
	if f.root == "" && len(dirty) == 0 {
		return nil
	}
	return &engine.Repo{Root: f.root, Dirty: dirty}
}

func (w *walker) factsAt(dir string) *facts {
	if f, ok := w.repos[dir]; ok {
		return f
	}
	f := &facts{}
	if dir != "/" {
		*f = *w.factsAt(path.Dir(dir))
		f.tools = slices.Clip(f.tools)
	}
	if n := w.look(dir); dir == "/" || n.err == nil {
		lacks := w.lacksOf(dir, n)
		if dirty, ok := w.gitHere(dir, lacks); ok {
			f.root, f.git = dir, dirty
		}
		f.tools = append(f.tools, w.toolsHere(dir, lacks)...)
	}
	if w.repos == nil {
		w.repos = map[string]*facts{}
	}
	w.repos[dir] = f
	return f
}

// gitHere reports whether git would find a repository in dir, in git's order: .git first, then
// dir itself as a bare repository of plain files. Anyone can unpack one into a project (threat
// T19).
func (w *walker) gitHere(dir string, lacks lacks) (dirty []string, found bool) {
	if !lacks.name(".git") {
		if dirty, found = w.dotgitHere(dir); found {
			return dirty, true
		}
	}
	if !lacks.name("HEAD") && w.isGitDir(dir) {
		return append([]string{"bare git directory"}, w.gitDirty(dir)...), true
	}
	return nil, false
}

// dotgitHere is gitHere of .git alone.
func (w *walker) dotgitHere(dir string) (dirty []string, found bool) {
	dotgit := below(dir, ".git")
	n := w.look(dotgit)
	if errors.Is(n.err, fs.ErrNotExist) {
		return nil, false
	}
	if n.err != nil {
		return []string{"unreadable .git"}, true
	}
	gitdir, ok := w.gitDir(dotgit, dir)
	switch {
	case !ok:
		return []string{"unreadable .git"}, true
	case w.isGitDir(gitdir):
		return w.gitDirty(gitdir), true
	}
	return nil, false
}

// gitDir returns the directory of .git, named by it when it is a file.
func (w *walker) gitDir(dotgit, dir string) (string, bool) {
	at, err := w.follow(dotgit, true)
	if err != nil {
		return "", false
	}
	if n := w.look(at.path); n.mode&fs.ModeDir != 0 || !at.exists {
		return at.path, true
	}
	text, state := w.config(at.path)
	to, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if state != present || !ok {
		return "", false
	}
	return w.beside(dir, to)
}

// beside resolves a path named by a file in dir.
func (w *walker) beside(dir, name string) (string, bool) {
	if !path.IsAbs(name) {
		name = dir + "/" + name
	}
	at, err := w.follow(name, true)
	return at.path, err == nil
}

// isGitDir is git's own test: HEAD, objects and refs, the latter two perhaps in
// the common directory of a work tree.
func (w *walker) isGitDir(dir string) bool {
	if w.look(below(dir, "HEAD")).err != nil {
		return false
	}
	common := w.commonDir(dir)
	return w.look(below(common, "objects")).err == nil && w.look(below(common, "refs")).err == nil
}

func (w *walker) commonDir(gitdir string) string {
	text, state := w.config(below(gitdir, "commondir"))
	if state != present {
		return gitdir
	}
	if common, ok := w.beside(gitdir, strings.TrimRight(text, "\r\n")); ok {
		return common
	}
	return gitdir
}

func (w *walker) gitDirty(gitdir string) []string {
	var dirty []string
	common := w.commonDir(gitdir)
	for _, file := range []string{below(common, "config"), below(gitdir, "config.worktree")} {
		text, state := w.config(file)
		switch state {
		case unreadable:
			dirty = append(dirty, "unreadable git "+path.Base(file))
		case present:
			dirty = append(dirty, gitSettings(text)...)
		}
	}
	// git status writes the index and then runs this hook.
	if w.look(below(common, "hooks/post-index-change")).err == nil {
		dirty = append(dirty, "hooks/post-index-change")
	}
	slices.Sort(dirty)
	return slices.Compact(dirty)
}

// state is the result of reading a configuration file.
type state int

const (
	absent state = iota
	present
	unreadable
)

// config reads a small file, through links, as its program would.
func (w *walker) config(name string) (string, state) {
	if errors.Is(w.look(name).err, fs.ErrNotExist) {
		return "", absent
	}
	at, err := w.follow(name, true)
	switch {
	case err != nil:
		return "", unreadable
	case !at.exists:
		return "", absent
	case !w.look(at.path).mode.IsRegular():
		return "", unreadable
	}
	data, err := w.fs.ReadSmall(at.path, maxConfig)
	if err != nil {
		return "", unreadable
	}
	return string(data), present
}
