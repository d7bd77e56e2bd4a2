//go:build unix

package doctor

import (
	"os"
	"os/exec"
	"syscall"
)

// checksModes tells that permission bits say who may use a file.
const checksModes = true

// suspend stops a process as it is.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// apart starts a process away from this terminal: a call that an agent's token
// puts from a terminal locks what a person has unlocked there.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate asks a process to end, as the client does.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// owner is the account that a file belongs to.
func owner(info os.FileInfo) (uid int, known bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}

// free is how many bytes an account without privileges may still write.
func free(dir string) (uint64, error) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), nil
}
