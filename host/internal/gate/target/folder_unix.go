//go:build unix

package target

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Directories implements DirectoryReader.
func (*osFS) Directories(path string, limit int) ([]string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	entries, err := f.ReadDir(limit + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(entries) > limit {
		return nil, &fs.PathError{Op: "list", Path: path, Err: errTooLarge}
	}
	var names []string
	for _, e := range entries {
		if e.Type() == fs.ModeDir {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Folder implements DirectoryReader.
func (*osFS) Folder(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", &fs.PathError{Op: "look at", Path: path, Err: syscall.ENOTDIR}
	}
	file, err := fileNumber(info)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s:%s", file, born(path, info)), nil
}

// Owner implements Owner.
func (*osFS) Owner(path string) (uid int, private bool, err error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return 0, false, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	if uint32(st.Mode)&syscall.S_IFMT != syscall.S_IFDIR {
		return 0, false, &fs.PathError{Op: "look at", Path: path, Err: syscall.ENOTDIR}
	}
	return int(st.Uid), st.Mode&0o022 == 0, nil
}
