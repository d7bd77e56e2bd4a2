//go:build !unix

package memory

// mapRange is memory of Go's own, which the system hands out as it is touched,
// and which never moves.
func mapRange(size int) []byte { return make([]byte, size) }

func unmapRange([]byte) {} // the collector's

func discardRange([]byte) bool { return false }
