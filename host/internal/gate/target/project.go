package target

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Project is the project of a call.
type Project struct {
	// Roots are the project root and, after it, every git root further up, the working directory
	// that holds the current one, and the repository, resolved and each once; empty for none. Rules
	// are anchored at the first. Everything that only tightens (.callgate.yaml, deny and ask rules
	// of the project) holds for all of them: an agent making a .git in a sub-directory and stepping
	// into it must not leave them behind.
	Roots []string
	// Repository is the repository of a root that is a work tree of it, the place of the project's
	// stored rules: its directory with .git, or the bare repository itself. Empty for any other
	// root.
	Repository string
}

// Name is the place of the project's stored rules; empty for no project.
func (p Project) Name() string {
	if p.Repository != "" || len(p.Roots) == 0 {
		return p.Repository
	}
	return p.Roots[0]
}

// Project returns the project around a current directory.
//
// With working directories configured, a current directory outside all of them counts for
// nothing: the caller names it, and must not choose its rules by it.
func (r *Resolver) Project(ctx context.Context, cwd string, workingDirectories []string) (Project, error) {
	found, err := r.Projects(ctx, Around{cwd, workingDirectories})
	if err != nil {
		return Project{}, err
	}
	return found[0], nil
}

// Around is a place to look for a project at.
type Around struct {
	CWD                string
	WorkingDirectories []string
}

// nowhere has no project, and needs no look.
func (a Around) nowhere() bool { return !path.IsAbs(a.CWD) && len(a.WorkingDirectories) == 0 }

// Projects is Project for several places in one look.
func (r *Resolver) Projects(ctx context.Context, places ...Around) ([]Project, error) {
	if r.FS != nil && !slices.ContainsFunc(places, func(a Around) bool { return !a.nowhere() }) {
		return make([]Project, len(places)), nil
	}
	return run(ctx, r, r.limits().Time, func(w *walker) ([]Project, error) {
		found := make([]Project, len(places))
		for i, a := range places {
			found[i] = w.project(a)
		}
		return found, w.late()
	})
}

func (w *walker) project(a Around) Project {
	var dirs []string
	for _, d := range w.directories(a.WorkingDirectories) {
		if d.err == nil {
			dirs = append(dirs, d.resolved)
		}
	}
	start, holder := w.start(a.CWD, dirs)
	if start == "" {
		return Project{}
	}
	p := Project{Roots: w.rootsAbove(start)}
	if holder != "" {
		p.Roots = appendOnce(p.Roots, holder)
	}
	if len(p.Roots) > 0 {
		p.Repository = w.repository(p.Roots[0])
	}
	if p.Repository != "" {
		p.Roots = appendOnce(p.Roots, p.Repository)
	}
	return p
}

// start returns where to look for a root, and the working directory it is in.
func (w *walker) start(cwd string, dirs []string) (start, holder string) {
	if path.IsAbs(cwd) {
		if at, err := w.follow(cwd, true); err == nil {
			for _, d := range dirs {
				if within(d, at.path) {
					return at.path, d
				}
			}
			if len(dirs) == 0 {
				return at.path, ""
			}
		}
	}
	if len(dirs) == 0 {
		return "", ""
	}
	return dirs[0], dirs[0]
}

func (w *walker) rootsAbove(dir string) []string {
	var roots []string
	for ; ; dir = path.Dir(dir) {
		if w.isRoot(dir) {
			roots = append(roots, dir)
		}
		if dir == "/" {
			return roots
		}
	}
}

// isRoot reports whether .git stands in dir: a directory with a HEAD, or the
// file of a work tree or sub-module.
func (w *walker) isRoot(dir string) bool {
	if n := w.look(dir); n.err == nil && w.lacksOf(dir, n).name(".git") {
		return false
	}
	dotgit := below(dir, ".git")
	n := w.look(dotgit)
	switch {
	case n.err != nil:
		return false
	case n.mode.IsRegular():
		text, state := w.config(dotgit)
		return state == present && strings.HasPrefix(text, "gitdir: ")
	}
	at, err := w.follow(dotgit, true)
	if err != nil {
		return false
	}
	head := w.look(below(at.path, "HEAD"))
	return head.err == nil && head.mode&fs.ModeDir == 0
}

func appendOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}
