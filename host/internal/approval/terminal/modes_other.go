//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

// HideTyping does nothing here: term.ReadPassword hides the typed text once it reads.
func HideTyping(int) error { return nil }

// straighten does nothing here: the raw mode is one of the keyboard alone.
func straighten(int) error { return nil }
