//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package main

import "golang.org/x/sys/unix"

// hideTyping has a terminal show nothing of what is typed.
func hideTyping(fd int) error {
	state, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTerminal, state)
}
