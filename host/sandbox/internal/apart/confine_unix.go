//go:build unix && !linux

package apart

import "golang.org/x/sys/unix"

// confine has no limit of memory: none of these systems holds a process to one that
// Go could live with; the worker watches its own.
func confine(Limits) error {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) // as well as may be
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // what it would hold is nobody's secret
	return nil
}
