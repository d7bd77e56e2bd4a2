//go:build unix

package api_test

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// needRoot skips where no process of another account can be started.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs root on Linux, to run a process as another account")
	}
}

// asAccount makes a process run as an account.
func asAccount(cmd *exec.Cmd, uid int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}
