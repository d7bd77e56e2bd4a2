//go:build !unix

package api_test

import (
	"os/exec"
	"testing"
)

func needRoot(t *testing.T) {
	t.Helper()
	t.Skip("SKIPPED: needs Linux, to run a process as another account")
}

func asAccount(*exec.Cmd, int) {}
