//go:build unix && !(linux && (amd64 || arm64))

package stat

import (
	"errors"
	"syscall"
)

const noFollow = 1

func at(path string, st *syscall.Stat_t, flags int) error {
	look := syscall.Stat
	if flags == noFollow {
		look = syscall.Lstat
	}
	for {
		if err := look(path, st); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
