//go:build unix

package shelltest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// The user of root's shells.
const nobody = 65534

// confine gives cmd a process group of its own and, for root, another user.
func (l *Lab) confine(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
}

// give hands the writable places for lines over to their user.
func (l *Lab) give() error {
	if os.Getuid() != 0 {
		return nil
	}
	if err := os.Chmod(l.root, 0o755); err != nil {
		return err
	}
	for _, path := range []string{l.Work, filepath.Join(l.Work, "sub"), filepath.Join(l.Work, "sub", "deep"), l.Home, filepath.Join(l.root, logFile)} {
		if err := os.Chown(path, nobody, nobody); err != nil {
			return err
		}
	}
	return nil
}

func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended just now
}

// become replaces this process by a program.
func become(file string, argv []string) error {
	return syscall.Exec(file, argv, os.Environ())
}
