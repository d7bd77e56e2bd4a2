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
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symbolic link: name the directory it points to", ErrUnsafe, dir)
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a directory", ErrUnsafe, dir)
	case !ours(info):
		return fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, dir)
	case checksModes && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w: others can enter %s (mode %04o): run chmod 700 %[2]s, or name a directory of your own", ErrUnsafe, dir, info.Mode().Perm())
	}
	return nil
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
