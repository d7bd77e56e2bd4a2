//go:build !unix

package canary

import (
	"os"
	"os/exec"
)

// suspend leaves the process alone: its input does not end, so it waits anyhow.
func suspend(*os.Process) error { return nil }

// apart does nothing: terminals are not told apart there.
func apart(*exec.Cmd) {}

// terminate ends a process.
func terminate(p *os.Process) error { return p.Kill() }
