package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// Loader reads projects' files and remembers them until they change on disk.
// The zero value is ready for use. It is safe for concurrent use.
type Loader struct {
	// Report receives the ignored parts of a file, each time the file is read anew; it may be nil.
	// It may be called from several goroutines.
	Report func([]Problem)

	mu    sync.Mutex
	known map[string]known
}

type known struct {
	stamp stamp
	file  File
	err   error
}

// maxKnown bounds how many files are remembered.
const maxKnown = 256

// Load returns the request of the project at root: its own file and those of the git roots above
// it, because an agent can make a .git in a sub-directory and must not escape the project's file by
// it. root is absolute and resolved.
//
// No file at all is no error. A file that is a link or no regular file, too large, unreadable or
// wrong is one, and it is final: the file may only tighten, so a call judged without it could be
// allowed against its project's rules. The rules of the other files come with the error.
func (l *Loader) Load(ctx context.Context, root string) (File, error) {
	var all File
	var errs []error
	for _, dir := range rootsFrom(filepath.Clean(root)) {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		f, err := l.load(dir)
		errs = append(errs, err)
		all.Paths = append(all.Paths, f.Paths...)
		all.Rules = append(all.Rules, f.Rules...)
		all.Disallowed = append(all.Disallowed, f.Disallowed...)
		all.Problems = append(all.Problems, f.Problems...)
	}
	return all, errors.Join(errs...)
}

// rootsFrom lists root and every directory above it with a .git.
func rootsFrom(root string) []string {
	roots := []string{root}
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		if exists(strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator) + ".git") {
			roots = append(roots, dir)
		}
		if dir == filepath.Dir(dir) {
			return roots
		}
	}
}

func (l *Loader) load(dir string) (File, error) {
	path := filepath.Join(dir, Name)
	now, err := look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	if err != nil {
		return File{}, fmt.Errorf("the project's file: %w: make it a readable regular file or remove it", err)
	}
	l.mu.Lock()
	have, ok := l.known[path]
	l.mu.Unlock()
	if ok && have.stamp == now {
		return have.file, have.err
	}
	data, opened, err := read(path)
	if err != nil {
		return File{}, fmt.Errorf("the project's file: %w: make it a readable regular file of at most %d bytes, or remove it", err, MaxSize)
	}
	f, err := Parse(dir, path, data)
	if l.Report != nil && len(f.Problems) > 0 {
		l.Report(f.Problems)
	}
	l.remember(path, known{opened, f, err})
	return f, err
}

func (l *Loader) remember(path string, k known) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxKnown {
		l.known = map[string]known{}
	}
	l.known[path] = k
}
