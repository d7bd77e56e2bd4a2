package compileproc

import (
	"os"
	"syscall"
)

// attributes give a worker a process group of its own, and have it killed with the thread of
// its starter. No session of its own: the scheduler's groups are sessions, and being nice
// counts within one only.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// program is the file to start. This program is found by its process, so it is the same one
// even after its file was replaced.
func program(path string) string {
	if own, err := os.Executable(); err == nil && own == path {
		return "/proc/self/exe"
	}
	return path
}
