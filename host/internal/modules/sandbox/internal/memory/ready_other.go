//go:build !linux

package memory

// Ready has nothing to do on this system.
func Ready([]byte) {}

// Scratch returns n bytes, and what gives them back. Nothing may use them after that.
func Scratch(n int) (b []byte, free func()) { return make([]byte, n), func() {} }
