//go:build unix

package target

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/machine/stat"
)

var errNotRegular = errors.New("not a regular file")

// OS returns the machine's own file system.
func OS() FS { return &osFS{} }

type osFS struct {
	mu     sync.Mutex
	read   time.Time
	mounts map[string]string
}

// mountsAge is the lifetime of a list of mounts. A later mount costs at most Limits.Time.
const mountsAge = time.Second

// Lstat calls the kernel itself: os.Lstat makes a FileInfo and, for a missing file, an error
// each time, and most files looked for are missing.
func (o *osFS) Lstat(path string) (fs.FileMode, error) {
	mode, _, err := o.Stamp(path)
	return mode, err
}

// Stamp implements Stamper.
func (*osFS) Stamp(path string) (fs.FileMode, Stamp, error) {
	var st syscall.Stat_t
	switch err := stat.Lstat(path, &st); {
	case errors.Is(err, syscall.ENOENT):
		return 0, Stamp{}, fs.ErrNotExist
	case err != nil:
		return 0, Stamp{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	switch uint32(st.Mode) & syscall.S_IFMT {
	case syscall.S_IFREG:
		return 0, Stamp{}, nil
	case syscall.S_IFDIR:
		return fs.ModeDir, stampOf(&st), nil
	case syscall.S_IFLNK:
		return fs.ModeSymlink, Stamp{}, nil
	}
	return fs.ModeIrregular, Stamp{}, nil // pipes, sockets and devices are all the same here
}

func (*osFS) Readlink(path string) (string, error) { return os.Readlink(path) }

// Names opens without following a link.
func (*osFS) Names(path string, limit int) ([]string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	names, err := f.Readdirnames(limit + 1)
	switch {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	case len(names) > limit:
		return nil, errTooMany
	}
	return names, nil
}

// ReadSmall opens without following a link and without waiting for a pipe's other end, and
// looks at the opened file, not at an earlier one.
func (*osFS) ReadSmall(path string, limit int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	return data, err
}

func (o *osFS) Mounts() (map[string]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mounts != nil && time.Since(o.read) < mountsAge {
		return o.mounts, nil
	}
	mounts, err := readMounts()
	if err != nil {
		return nil, err
	}
	o.mounts, o.read = mounts, time.Now()
	return mounts, nil
}
