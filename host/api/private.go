package api

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrUnsafe is a file, directory or socket that others could use or change.
var ErrUnsafe = errors.New("not private")

// privateDirectory makes dir with mode 0700, or checks the one that is there.
func privateDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory %s: %w", dir, err)
	}
	info, err := ownDirectory(dir)
	if err == nil && checksModes && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("%w: others can enter %s (mode %04o): run chmod 700 %[2]s, or name a directory of your own", ErrUnsafe, dir, info.Mode().Perm())
	}
	return err
}

// sharedDirectory makes dir with mode 0755, or checks the one that is there:
// others enter it, and cannot change it.
func sharedDirectory(dir string) error {
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
		return fmt.Errorf("%w: others can change %s (mode %04o): run chmod 755 %[2]s", ErrUnsafe, dir, info.Mode().Perm())
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
		return nil, fmt.Errorf("%w: %s is a symbolic link: name the directory it points to", ErrUnsafe, dir)
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is not a directory", ErrUnsafe, dir)
	case !ours(info):
		return nil, fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, dir)
	}
	return info, nil
}

// clientFile checks a token file of a client: a private one, or one of root's
// that a group may read, such as that of an agent's account. Root may use
// everybody's, as for callgate pin reset.
func clientFile(path string, info fs.FileInfo) error {
	if checksModes && os.Geteuid() == 0 && info.Mode().IsRegular() && info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if checksModes && info.Mode().IsRegular() && roots(info) && info.Mode().Perm()&0o037 == 0 {
		return nil
	}
	return privateFile(path, info)
}

// privateFile checks an open token file.
func privateFile(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", ErrUnsafe, path)
	case !ours(info):
		return fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, path)
	case checksModes && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w: others can read %s (mode %04o): remove it, so that a new token is made", ErrUnsafe, path, info.Mode().Perm())
	}
	return nil
}
