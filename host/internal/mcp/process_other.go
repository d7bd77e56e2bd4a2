//go:build !unix

package mcp

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

func terminate(p *os.Process) { kill(p) }

func kill(p *os.Process) { _ = p.Kill() } // it may have ended
