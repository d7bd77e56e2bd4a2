//go:build !linux

package ready

// Pages has nothing to do on this system.
func Pages([]byte) {}

// Scratch returns n bytes, and what gives them back. Nothing may use them after that.
func Scratch(n int) (b []byte, free func()) { return make([]byte, n), func() {} }

// Heap has nothing to do on this system.
func Heap() {}
