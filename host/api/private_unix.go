//go:build unix

package api

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// checksModes tells that permission bits say who may use a file.
const checksModes = true

// noFollow refuses a symbolic link at the end of a path, and does not block, so
// that a named pipe in a token's place cannot hold the daemon up.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ours reports whether this user or root owns the file.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}

// roots reports whether root owns the file.
func roots(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// lockFile takes a lock that ends with the process or with Close. The file
// stays: removing it would let two processes lock two files of one name.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("%w: another daemon has it: stop that one, or set listen: to another endpoint", ErrInUse)
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
