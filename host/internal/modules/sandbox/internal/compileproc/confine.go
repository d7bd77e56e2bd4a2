package compileproc

import (
	"math"
	"runtime"
	"runtime/debug"
)

// Confine takes unneeded rights from this process, and applies its limits. Features missing in
// the system are left out. The error means: the system has a limit and does not set it.
func Confine(l Limits) error {
	runtime.GOMAXPROCS(max(1, l.Processors))
	// Garbage would count as well: the collector works harder when it has to.
	debug.SetMemoryLimit(l.Bytes / 8 * 7)
	return confine(l)
}

// seconds is a worker's total processor time.
func (l Limits) seconds() uint64 {
	return uint64(math.Ceil(l.Time.Seconds()))*uint64(max(1, l.Processors)) + 1
}

// grace is the processor time between the signal at its limit and the end of the process, in
// seconds.
const grace = 1
