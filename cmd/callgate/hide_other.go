//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package main

// hideTyping does nothing here: term.ReadPassword hides what is typed once it reads.
func hideTyping(int) error { return nil }
