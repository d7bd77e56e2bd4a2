//go:build unix

package api

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// lockFile takes a lock until the process ends or Close. The file stays: removing it would let two
// processes lock two files of one name.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|securedir.NoFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("%w by another daemon; stop that one, or set listen to another endpoint", ErrInUse)
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
