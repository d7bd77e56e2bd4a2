//go:build !unix

package shelltest

import (
	"errors"
	"os/exec"
)

func (l *Lab) confine(*exec.Cmd) {}

func (l *Lab) give() error { return nil }

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended just now
}

// become fails: there is no way to replace a process.
func become(string, []string) error { return errors.ErrUnsupported }
