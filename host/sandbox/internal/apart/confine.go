package apart

import (
	"runtime"
	"runtime/debug"
)

// Confine takes from this process what a worker does not need, and holds it to
// its limits. What the system does not offer is left out. The error tells of a limit
// that the system has and does not set.
func Confine(l Limits) error {
	runtime.GOMAXPROCS(max(1, l.Processors))
	// Garbage would count as well: the collector works harder when it has to.
	debug.SetMemoryLimit(l.Bytes / 8 * 7)
	return confine(l)
}
