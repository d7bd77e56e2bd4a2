package compileproc

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// attributes have a worker give way to others.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.BELOW_NORMAL_PRIORITY_CLASS}
}

func program(path string) string { return path }

func kill(p *os.Process) error { return p.Kill() }
