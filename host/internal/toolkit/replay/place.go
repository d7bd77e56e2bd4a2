package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/callgate/callgate/host/internal/store/record"
)

// place is where the paths of a project lie in the replay.
type place struct {
	// base is the directory that holds everything of it.
	base, root, home string
	moves            []record.Move
}

// newPlace makes the repository an empty one below base, by the path that it had, and the
// session's root that or a work tree of it. Sessions of one repository share a base.
func newPlace(base string, s Session, repository string) (place, error) {
	p := place{base: base}
	for _, top := range []string{topOf(s.Root), topOf(repository), topOf(s.Home)} {
		if top != "" {
			p.moves = append(p.moves, record.Move{From: top, To: p.base + top})
		}
	}
	p.root = p.move(s.Root)
	p.home = filepath.Join(p.base, "home/user")
	if s.Home != "" {
		p.home = p.move(s.Home)
	} else if home := topOf(s.Root); homeOf(s.Root) != "" {
		p.home = p.move(home)
	}
	git := filepath.Join(p.move(repository), ".git")
	files := map[string]string{
		filepath.Join(git, "HEAD"):   "ref: refs/heads/main\n",
		filepath.Join(git, "config"): "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
	}
	if repository != s.Root {
		entry := filepath.Join(git, "worktrees", strings.ReplaceAll(s.Root[1:], "/", "-"))
		files[filepath.Join(p.root, ".git")] = "gitdir: " + entry + "\n"
		files[filepath.Join(entry, "HEAD")] = "ref: refs/heads/other\n"
		files[filepath.Join(entry, "commondir")] = "../..\n"
		files[filepath.Join(entry, "gitdir")] = filepath.Join(p.root, ".git") + "\n"
	}
	for _, d := range []string{p.home, p.root, filepath.Join(git, "objects"), filepath.Join(git, "refs/heads")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return p, err
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return p, err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return p, err
		}
	}
	return p, nil
}

// plans is the directory of Claude Code's plans, which a session of that client may edit.
// RATIONALE.md, "Why may a session of Claude Code write outside its project?".
func (p place) plans() string { return filepath.Join(p.home, ".claude/plans") }

// homeOf is the home directory that a path lies in, by the usual places; empty for none.
func homeOf(path string) string {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) >= 3 && (parts[1] == "home" || parts[1] == "Users"):
		return strings.Join(parts[:3], "/")
	case len(parts) >= 4 && parts[1] == "var" && parts[2] == "home":
		return strings.Join(parts[:4], "/")
	case len(parts) >= 2 && parts[1] == "root":
		return "/root"
	}
	return ""
}

// topOf is the directory that is moved with all below it: the home directory, or the
// path's first.
func topOf(path string) string {
	if home := homeOf(path); home != "" || path == "" {
		return home
	}
	return "/" + strings.Split(path, "/")[1]
}

// move is a directory in the replay.
func (p place) move(dir string) string {
	return record.Line{Context: record.Context{CWD: dir}}.Move(p.moves...).Context.CWD
}

// put moves a call, and makes the directory it ran in where that is the replay's own.
func (p place) put(c Call) (input json.RawMessage, cwd string) {
	l := record.Line{Input: c.Input, Context: record.Context{CWD: c.CWD}}.Move(p.moves...)
	if strings.HasPrefix(l.Context.CWD, p.base+"/") {
		_ = os.MkdirAll(l.Context.CWD, 0o755) // a call may well run where there is a file
	}
	return json.RawMessage(l.Input), l.Context.CWD
}

// recorded is a text of the gate with the paths as they were.
func (p place) recorded(text string) string {
	return strings.ReplaceAll(text, p.base+"/", "/")
}
