//go:build unix

package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
	for dir := os.TempDir(); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		must(t, err)
		if info.Mode().Perm()&0o001 == 0 {
			t.Skipf("SKIPPED: other accounts cannot enter %s: set TMPDIR to a place that they can", dir)
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// asAccount makes a process run as an account.
func asAccount(cmd *exec.Cmd, uid int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}
