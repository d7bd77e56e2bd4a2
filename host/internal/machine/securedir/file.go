package securedir

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// ReadFile reads an operator's file: a regular one, no link, of this account or of root, unreadable
// for others, and of at most most bytes. Its errors name the fix.
func ReadFile(path string, most int64) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: name the file itself", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !os.SameFile(before, info):
		return nil, fmt.Errorf("%s was replaced while it was read: try again", path)
	}
	if err := closed(path, info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, nil
}

// closed requires a file of this account or of root, unreadable for others.
func closed(path string, info fs.FileInfo) error {
	switch {
	case !Ours(info):
		return fmt.Errorf("%s belongs to another account: chown it to the daemon's", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s can be read by other accounts (mode %04o): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	return nil
}
