//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import "golang.org/x/sys/unix"

// HideTyping makes a terminal hide typed text.
func HideTyping(fd int) error {
	state, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setModes, state)
}

// straighten makes a raw terminal begin each line at its left edge: the log and the ends of
// other asks appear while a key is awaited.
func straighten(fd int) error {
	state, err := unix.IoctlGetTermios(fd, getModes)
	if err != nil {
		return err
	}
	state.Oflag |= unix.OPOST
	return unix.IoctlSetTermios(fd, setModes, state)
}
