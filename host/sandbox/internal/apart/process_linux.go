package apart

import (
	"os"
	"syscall"
)

// attributes give a worker a process group of its own, and have it killed when
// the thread that started it is gone. No session of its own: the scheduler's groups
// are sessions, and being nice counts within one only.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// program is the file to start. This program is found by its process, so that it
// is the same one still when another was put in its place.
func program(path string) string {
	if own, err := os.Executable(); err == nil && own == path {
		return "/proc/self/exe"
	}
	return path
}
