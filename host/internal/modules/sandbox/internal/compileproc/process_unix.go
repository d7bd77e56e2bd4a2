//go:build unix && !linux

package compileproc

import "syscall"

// attributes give a worker a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func program(path string) string { return path }
