//go:build unix

package doctor

import (
	"os"
	"os/exec"
	"syscall"
)

// checksModes reports whether permission bits control the use of a file.
const checksModes = true

// suspend stops a process as it is.
func suspend(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// apart starts a process away from this terminal: a call made with an agent's token from a terminal
// locks it again after a person's unlock.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// terminate asks a process to end, as the client does.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// owner is the account of a file.
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
