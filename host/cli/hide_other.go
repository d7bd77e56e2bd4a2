//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package cli

// hideTyping does nothing here: term.ReadPassword hides the typed text once it reads.
func hideTyping(int) error { return nil }
