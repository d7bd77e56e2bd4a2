//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package cli

import "golang.org/x/sys/unix"

// hideTyping makes a terminal hide typed text.
func hideTyping(fd int) error {
	state, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTerminal, state)
}
