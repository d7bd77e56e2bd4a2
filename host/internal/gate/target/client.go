package target

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Owner is a file system with owners of directories. OS() is one on unix.
type Owner interface {
	// Owner returns the number of the account owning the directory at path, which is no link,
	// and whether all other accounts are kept from writing into it.
	Owner(path string) (uid int, private bool, err error)
}

// claudeSession is the form of the ids of Claude Code's sessions.
var claudeSession = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`) })

// temporaries are where clients keep the scratch directories of their sessions.
var temporaries = []string{"/tmp", "/private/tmp"}

// ClaudePlaces returns the directories of a session of Claude Code besides its project,
// resolved: its scratch directory (/tmp/claude-UID/PROJECT/SESSION/scratchpad), the plans in
// home, and the work tree around cwd, when the project around it lies in one of dirs. Each has
// to exist, owned by the owner of home, writable only by that owner and reached without a link.
// Others are left out. RATIONALE.md, "Why may a session of Claude Code write outside its
// project?".
func (r *Resolver) ClaudePlaces(ctx context.Context, session, home, cwd string, dirs []string) ([]string, error) {
	owner, ok := r.FS.(Owner)
	reader, readable := r.FS.(DirectoryReader)
	if !ok || !readable {
		return nil, nil
	}
	return run(ctx, r, r.limits().Time, func(w *walker) ([]string, error) {
		at, err := w.follow(home, true)
		if err != nil {
			return nil, w.late()
		}
		uid, _, err := owner.Owner(at.path)
		if err != nil {
			return nil, w.late()
		}
		own := func(dir string) bool {
			is, private, err := owner.Owner(dir)
			w.ctx.steps.Add(1)
			return err == nil && private && is == uid
		}
		var out []string
		if plans := path.Join(at.path, ".claude", "plans"); own(path.Dir(plans)) && own(plans) {
			out = append(out, plans)
		}
		if tree := w.worktree(cwd, dirs); tree != "" && own(tree) {
			out = append(out, tree)
		}
		if claudeSession().MatchString(session) {
			out = append(out, w.scratch(reader, own, session, uid)...)
		}
		return out, w.late()
	})
}

// scratch finds the scratch directories of a session.
func (w *walker) scratch(reader DirectoryReader, own func(string) bool, session string, uid int) (out []string) {
	for _, tmp := range temporaries {
		if n := w.look(tmp); n.err != nil || n.mode&fs.ModeDir == 0 {
			continue // /tmp is a link on macOS
		}
		base := path.Join(tmp, "claude-"+strconv.Itoa(uid))
		if !own(base) {
			continue
		}
		projects, err := reader.Directories(base, maxScratch)
		if err != nil {
			continue
		}
		for _, project := range projects {
			dir := path.Join(base, project)
			if pad := path.Join(dir, session, "scratchpad"); own(dir) && own(path.Dir(pad)) && own(pad) {
				out = append(out, pad)
			}
		}
	}
	return out
}

// maxScratch bounds the inspected projects of an account.
const maxScratch = 1000

// worktree is the work tree around cwd in a project's .claude/worktrees, when the project lies
// in one of dirs.
func (w *walker) worktree(cwd string, dirs []string) string {
	at, err := w.follow(cwd, true)
	if err != nil {
		return ""
	}
	project, below, ok := strings.Cut(at.path, worktrees)
	name, _, _ := strings.Cut(below, "/")
	held := slices.ContainsFunc(dirs, func(d string) bool { return within(d, project) })
	if tree := project + worktrees + name; ok && held && name != "" && w.isRoot(tree) {
		return tree
	}
	return ""
}
