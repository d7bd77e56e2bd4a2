// Package benchtest gives tests a workbench with generous time limits for busy machines. Tests
// only use it.
package benchtest

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Limits let a test pass on a busy machine.
var Limits = sandbox.Limits{CompileTime: 10 * time.Minute, Timeout: time.Minute}

// Open returns a workbench under Limits, closed when the test ends.
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

// Load returns the usable module of a file, on a workbench of its own.
func Load(t testing.TB, path string) *workbench.Module {
	t.Helper()
	m, err := Open(t).Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
