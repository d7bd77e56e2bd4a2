//go:build unix

package settings

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ownLike gives f the owner that like has, where root may.
func ownLike(f *os.File, like fs.FileInfo) error {
	st, ok := like.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(int(st.Uid), int(st.Gid))
}

// syncDirectory makes a rename last through a power failure. Some file systems
// cannot, and say so.
func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
