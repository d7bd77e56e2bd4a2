//go:build unix

package socket

import (
	"errors"
	"syscall"
)

// Refused reports whether a connection failed because no server listens.
func Refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
