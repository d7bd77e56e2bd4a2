//go:build !unix && !windows

package compileproc

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func program(path string) string { return path }

func kill(p *os.Process) error { return p.Kill() }
