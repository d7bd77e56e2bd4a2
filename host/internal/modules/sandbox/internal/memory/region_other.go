//go:build !unix

package memory

// mapRange is memory of Go's own: the system provides it as it is touched, and it never moves.
func mapRange(size int) []byte { return make([]byte, size) }

func unmapRange([]byte) {} // the collector's

func discardRange([]byte) bool { return false }
