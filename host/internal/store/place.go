package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// makeDirectory makes dir with mode 0700, or checks an existing one: a real directory writable only
// by this user (and root), below directories with the same property. A sticky directory such as
// /tmp may hold it. Threat T18.
func makeDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make its directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%w: %s is a symbolic link: name the directory it points to", ErrUnsafe, dir)
	}
	if info.Mode().Perm()&0o022 != 0 && checksModes {
		return fmt.Errorf("%w: others can write its directory %s (mode %04o): run chmod 700 %[2]s", ErrUnsafe, dir, info.Mode().Perm())
	}
	return checkParents(dir)
}

// checkParents looks at each directory from dir up to the root, once as written
// and once with links followed.
func checkParents(dir string) error {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for _, from := range []string{dir, resolved} {
		for d := from; ; d = filepath.Dir(d) {
			if err := checkParent(d); err != nil {
				return err
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return nil
}

func checkParent(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !ownedByUs(info) {
		return fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, dir)
	}
	if !checksModes || info.Mode()&(fs.ModeSymlink|fs.ModeSticky) != 0 {
		return nil
	}
	if info.Mode().Perm()&0o002 != 0 {
		return fmt.Errorf("%w: every account can write %s (mode %04o): move the store to a private directory", ErrUnsafe, dir, info.Mode().Perm())
	}
	return nil
}

// makeFile makes an empty file with mode 0600, or checks an existing one and removes other users'
// right to read it.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return readOnly(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := checkFile(path + suffix); err != nil {
			return err
		}
	}
	return nil
}

// checkFile refuses a file not plainly ours. A missing one is fine.
func checkFile(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return fmt.Errorf("%w: %s is not a regular file (%s): name another path", ErrUnsafe, path, mode.Type())
	case !ownedByUs(info):
		return fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, path)
	case mode.Perm()&0o022 != 0 && checksModes:
		return fmt.Errorf("%w: others can write %s (mode %04o): check its content, then run chmod 600 %[2]s", ErrUnsafe, path, mode.Perm())
	case mode.Perm()&0o200 == 0:
		// Root could write it all the same; the mode is the owner's intention.
		return fmt.Errorf("%w: %s has mode %04o: run chmod u+w %[2]s", ErrReadOnly, path, mode.Perm())
	}
	return claimFile(path, info)
}

// claimFile proves that the file is writable and closes it to other readers.
func claimFile(path string, info fs.FileInfo) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return readOnly(err)
	}
	defer f.Close() // nothing was written
	if info.Mode().Perm()&0o077 != 0 && checksModes {
		return f.Chmod(0o600)
	}
	return nil
}

// readOnly marks an error with the fix of a writable place.
func readOnly(err error) error {
	if errors.Is(err, fs.ErrPermission) || isReadOnlyFS(err) {
		return fmt.Errorf("%w: %w: make the file and its directory writable", ErrReadOnly, err)
	}
	return err
}
