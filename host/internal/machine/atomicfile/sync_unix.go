//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

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
