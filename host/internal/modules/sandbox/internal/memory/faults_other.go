//go:build !linux

package memory

// Faults would tell whether a call took page faults.
type Faults struct{}

// Begin does nothing.
func (*Faults) Begin() {}

// Unpin does nothing.
func (*Faults) Unpin() {}

// End knows nothing.
func (*Faults) End() (quiet bool) { return false }
