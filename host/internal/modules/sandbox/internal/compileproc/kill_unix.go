//go:build unix

package compileproc

import (
	"os"
	"syscall"
)

// niceness is how far workers stand behind: calls of tools come first.
const niceness = 5

// kill ends a worker and its children.
func kill(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		return p.Kill()
	}
	return nil
}
