package securedir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNotPrivate means others could use or change a file, directory or socket.
var ErrNotPrivate = errors.New("not private")

// MakePrivate makes dir with mode 0700, or checks an existing one: only this account may enter it.
func MakePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, err)
	}
	info, err := ownDirectory(dir)
	if err == nil && ChecksModes && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%w: others can enter %s (mode %04o): run chmod 700 %[2]s, or name a directory of your own", ErrNotPrivate, dir, info.Mode().Perm())
	}
	return err
}

// MakeShared makes dir with mode 0755, or checks an existing one: others may enter it, and cannot
// change it.
func MakeShared(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o755)); err != nil {
			return fmt.Errorf("make directory %s: %w", dir, err)
		}
	}
	info, err := ownDirectory(dir)
	switch {
	case err != nil:
		return err
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%w: others can change %s (mode %04o): run chmod 755 %[2]s", ErrNotPrivate, dir, info.Mode().Perm())
	case info.Mode().Perm()&0o011 != 0o011:
		return fmt.Errorf("%s (mode %04o): the accounts of boundary: cannot enter it: run chmod 755 %[1]s, or set listen: to a socket in a directory of its own", dir, info.Mode().Perm())
	}
	return nil
}

// ownDirectory wants a directory of this account's, or of root's.
func ownDirectory(dir string) (fs.FileInfo, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%w: %s is a symbolic link: name the directory it points to", ErrNotPrivate, dir)
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is not a directory", ErrNotPrivate, dir)
	case !Ours(info):
		return nil, fmt.Errorf("%w: %s belongs to another user", ErrNotPrivate, dir)
	}
	return info, nil
}
