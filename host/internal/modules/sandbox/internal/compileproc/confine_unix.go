//go:build unix && !linux

package compileproc

import "golang.org/x/sys/unix"

// confine has no limit of memory: none of these systems has one Go could live with; the worker
// watches its own.
func confine(l Limits) error {
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) // as well as may be
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: l.seconds(), Max: l.seconds() + grace})
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) // its content is no secret
	return nil
}
