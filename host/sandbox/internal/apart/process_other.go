//go:build !unix && !windows

package apart

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func program(path string) string { return path }

func kill(p *os.Process) error { return p.Kill() }
