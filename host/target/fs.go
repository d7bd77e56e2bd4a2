package target

import (
	"errors"
	"io/fs"
	"path"
)

// FS is what resolution asks of a file system. Paths are absolute and clean.
// It must be safe for concurrent use.
type FS interface {
	// Lstat returns what stands at path, a link itself and not what it points
	// to: fs.ModeDir, fs.ModeSymlink, 0 for a regular file, other bits for the
	// rest. Nothing there is fs.ErrNotExist.
	Lstat(path string) (fs.FileMode, error)
	// Readlink returns what the link at path points to, as written.
	Readlink(path string) (string, error)
	// ReadSmall returns the content of the regular file at path, which must not
	// be a link and hold at most limit bytes.
	ReadSmall(path string, limit int) ([]byte, error)
	// Mounts returns the type of the file system mounted at each mount point,
	// without touching any of them. The caller does not change it.
	Mounts() (map[string]string, error)
}

// Links returns a file system that holds nothing but these links, for deciding
// without a disk: key and value are a link's path and what it points to. The
// map must not change any more.
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

func (linkFS) Mounts() (map[string]string, error) { return nil, nil }

var errTooLarge = errors.New("larger than expected of a configuration file")
