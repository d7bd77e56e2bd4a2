//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// attributes put the server into a group of its own: npx and others start the server as a child.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // it may have ended

func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // it may have ended
