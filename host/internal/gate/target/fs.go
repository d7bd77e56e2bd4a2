package target

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// FS is the file system for resolution. Paths are absolute and clean. It must be safe for
// concurrent use.
type FS interface {
	// Lstat returns the type of the file at path, a link itself and not its destination:
	// fs.ModeDir, fs.ModeSymlink, 0 for a regular file, other bits for the rest. Nothing there
	// is fs.ErrNotExist.
	Lstat(path string) (fs.FileMode, error)
	// Readlink returns the destination of the link at path, as written.
	Readlink(path string) (string, error)
	// ReadSmall returns the content of the regular file at path, which must not
	// be a link and hold at most limit bytes.
	ReadSmall(path string, limit int) ([]byte, error)
	// Names returns the names in the directory at path, which must not be a link; an
	// error where there are more than limit.
	Names(path string, limit int) ([]string, error)
	// Mounts returns the type of the file system mounted at each mount point,
	// without touching any of them. The caller does not change it.
	Mounts() (map[string]string, error)
}

// Links returns a file system with these links only, for deciding without a disk: key and value
// are a link's path and its destination. The map must not change any more.
func Links(links map[string]string) FS {
	clean := make(linkFS, len(links))
	for at, to := range links {
		clean[path.Clean(at)] = to
	}
	return clean
}

type linkFS map[string]string

func (l linkFS) Lstat(p string) (fs.FileMode, error) {
	if _, ok := l[p]; ok {
		return fs.ModeSymlink, nil
	}
	return 0, fs.ErrNotExist
}

func (l linkFS) Readlink(p string) (string, error) {
	if to, ok := l[p]; ok {
		return to, nil
	}
	return "", fs.ErrNotExist
}

func (linkFS) ReadSmall(string, int) ([]byte, error) { return nil, fs.ErrNotExist }

// Names returns the links in a directory, and the directories on the way to others.
func (l linkFS) Names(dir string, limit int) ([]string, error) {
	var names []string
	for at := range l {
		rest, ok := strings.CutPrefix(at, strings.TrimSuffix(dir, "/")+"/")
		if name, _, _ := strings.Cut(rest, "/"); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) > limit {
		return nil, errTooMany
	}
	slices.Sort(names)
	return names, nil
}

func (linkFS) Mounts() (map[string]string, error) { return nil, nil }

var errTooMany = errors.New("more names than are looked at")

var errTooLarge = errors.New("larger than expected of a configuration file")
