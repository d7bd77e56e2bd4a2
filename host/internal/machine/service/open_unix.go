//go:build unix

package service

import (
	"os"
	"syscall"
)

// openNoFollow opens a file but no link, and never waits for a pipe.
func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}
