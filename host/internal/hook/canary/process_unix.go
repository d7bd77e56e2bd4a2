//go:build unix

package canary

import (
	"os"
	"os/exec"
	"syscall"
)

func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// apart starts a process away from this terminal: a call made with an agent's token from a terminal
// locks it again after a person's unlock. A signal of a client reaches the whole group.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate asks the process and its children to end, as the client does.
func terminate(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
