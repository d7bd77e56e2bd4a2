//go:build unix && !linux

package apart

import "syscall"

// niceness is how far workers stand behind: calls of tools come first.
const niceness = 5

// attributes give a worker a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func program(path string) string { return path }
