//go:build unix

package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/callgate/callgate/host/internal/machine/stat"
)

// stamp distinguishes two versions of a file. A change within the clock's step, with the same size
// and inode, still changes the ctime. No program can set the ctime.
type stamp struct {
	inode, device uint64
	size          int64
	mtime, ctime  int64
}

func exists(path string) bool {
	var st syscall.Stat_t
	return stat.Lstat(path, &st) == nil
}

// look returns the stamp of the regular file at path.
func look(path string) (stamp, error) {
	var st syscall.Stat_t
	if err := absence(stat.Lstat(path, &st)); errors.Is(err, fs.ErrNotExist) {
		return stamp{}, fs.ErrNotExist // as nearly always
	}
	info, err := os.Lstat(path)
	if err != nil {
		return stamp{}, absence(err)
	}
	return stampOf(path, info)
}

// absence turns "a parent is no directory" into its meaning: no file.
func absence(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fs.ErrNotExist
	}
	return err
}

func stampOf(path string, info fs.FileInfo) (stamp, error) {
	if !info.Mode().IsRegular() {
		return stamp{}, fmt.Errorf("%s is not a regular file", path)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, fmt.Errorf("%s: the system tells no inode", path)
	}
	return stamp{inode: uint64(st.Ino), device: uint64(st.Dev), size: st.Size, mtime: info.ModTime().UnixNano(), ctime: changed(st)}, nil
}

// read opens path without following a link or waiting for the other end of a pipe, and reads only a
// regular file of lawful size.
func read(path string) ([]byte, stamp, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, stamp{}, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, stamp{}, err
	}
	opened, err := stampOf(path, info)
	if err != nil {
		return nil, stamp{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err == nil && len(data) > MaxSize {
		err = fmt.Errorf("%s has more than %d bytes", path, MaxSize)
	}
	return data, opened, err
}
