package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Folder is the project around a directory.
type Folder struct {
	// Path is its root, resolved.
	Path string
	// File distinguishes it from any later directory at Path: the device, the number and, where
	// the file system keeps it, the time of birth.
	File string
	// Repositories are git repositories of their own below it, two at most, looked for
	// two levels deep. Work trees and sub-modules of a repository are none.
	Repositories []string
}

// DirectoryReader is a file system with folders. OS() is one on unix.
type DirectoryReader interface {
	// Directories returns the names of the directories in the directory at path,
	// without links. More than limit entries are an error.
	Directories(path string, limit int) ([]string, error)
	// Folder returns the identity of the directory at path, different after a replacement:
	// Folder.File. A link is not followed, and is no directory.
	Folder(path string) (string, error)
}

// ErrNoProject means: a directory is in no git repository.
var ErrNoProject = errors.New("it is in no git repository")

// maxEntries bounds the inspected entries of one folder, its directories' included.
const maxEntries = 20_000

// Folder returns the project of a directory: the root of the git repository around it. For a
// work tree inside its repository, or a client's in a project (.claude/worktrees/NAME), it is
// that project. ErrNoProject
// when there is none; after any other error it is unknown.
func (r *Resolver) Folder(ctx context.Context, dir string) (Folder, error) {
	reader, ok := r.FS.(DirectoryReader)
	if !ok {
		return Folder{}, errNoIdentity
	}
	return run(ctx, r, identifying, func(w *walker) (Folder, error) {
		at, err := w.follow(dir, true)
		if err != nil {
			return Folder{}, err
		}
		root, ok := projectOf(at.path, w.rootsAbove(at.path))
		if !ok {
			return Folder{}, errors.Join(ErrNoProject, w.late())
		}
		if around := w.repository(root); around != "" && within(around, root) {
			root = around
		}
		out := Folder{Path: root}
		if out.File, err = reader.Folder(root); err != nil {
			return Folder{}, err
		}
		left := maxEntries
		if out.Repositories, err = w.repositories(reader, root, 2, &left); err != nil {
			return Folder{}, err
		}
		return out, w.late()
	})
}

// worktrees is where Claude Code makes its work trees in a project.
const worktrees = "/.claude/worktrees/"

// projectOf is the root in force for a directory, of those above it, the nearest first.
func projectOf(dir string, roots []string) (root string, ok bool) {
	if i := strings.Index(dir+"/", worktrees); i >= 0 {
		dir = dir[:i]
	}
	for _, root := range roots {
		if within(root, dir) {
			return root, true
		}
	}
	return "", false
}

// repositories looks for repositories below dir, to that depth.
func (w *walker) repositories(reader DirectoryReader, dir string, deep int, left *int) ([]string, error) {
	names, err := reader.Directories(dir, *left)
	w.ctx.steps.Add(1)
	if errors.Is(err, fs.ErrPermission) {
		return nil, nil // unreadable for the daemon
	}
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		if *left--; *left < 0 {
			return nil, fmt.Errorf("%s: %w", dir, errTooLarge)
		}
		sub := path.Join(dir, name)
		if name == ".git" || w.border(sub) != nil || w.ctx.Err() != nil {
			continue
		}
		if n := w.look(path.Join(sub, ".git")); n.err == nil && n.mode&fs.ModeDir != 0 && w.isRoot(sub) {
			found = append(found, sub)
		}
		if deep > 1 && name != "node_modules" {
			more, err := w.repositories(reader, sub, deep-1, left)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
		if len(found) > 1 {
			return found[:2], nil
		}
	}
	return found, w.late()
}

// SameFolders reports for each folder whether the directory at its Path is unchanged: the same
// directory, reached by the same path without a link. After an error all are unknown.
func (r *Resolver) SameFolders(ctx context.Context, folders []Folder) ([]bool, error) {
	reader, ok := r.FS.(DirectoryReader)
	if !ok {
		return nil, errNoIdentity
	}
	return run(ctx, r, r.limits().Time, func(w *walker) ([]bool, error) {
		out := make([]bool, len(folders))
		for i, f := range folders {
			d := w.directories([]string{f.Path})[0]
			if d.err != nil || d.resolved != f.Path || f.File == "" {
				continue
			}
			file, err := reader.Folder(f.Path)
			w.ctx.steps.Add(1)
			out[i] = err == nil && file == f.File
		}
		return out, w.late()
	})
}
