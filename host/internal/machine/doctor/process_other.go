//go:build !unix

package doctor

import (
	"errors"
	"os"
	"os/exec"
)

// checksModes reports whether permission bits control the use of a file.
const checksModes = false

// suspend leaves the process alone: its input does not end, so it waits anyhow.
func suspend(*os.Process) error { return nil }

// apart does nothing: terminals are not told apart there.
func apart(*exec.Cmd) {}

// terminate ends a process.
func terminate(p *os.Process) error { return p.Kill() }

// owner is not known here.
func owner(os.FileInfo) (uid int, known bool) { return 0, false }

// free is not known here.
func free(string) (uint64, error) { return 0, errors.ErrUnsupported }
