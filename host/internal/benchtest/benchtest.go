// Package benchtest gives tests a workbench that holds nobody up on a busy machine.
// Tests only use it.
package benchtest

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/workbench"
)

// Limits let a test pass on a machine that is busy.
var Limits = sandbox.Limits{CompileTime: 10 * time.Minute, Timeout: time.Minute}

// Open returns a workbench under Limits that is closed when the test ends.
func Open(t testing.TB) *workbench.Bench {
	t.Helper()
	b, err := workbench.Open(t.Context(), workbench.Options{Limits: Limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// Load returns the module of a file, which must be one that can be used, on a
// workbench of its own.
func Load(t testing.TB, path string) *workbench.Module {
	t.Helper()
	m, err := Open(t).Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
