package modules

import (
	"errors"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestLanes: modules with a trial of a whole call's fuel make room for others, and wait for
// each other alone.
func TestLanes(t *testing.T) {
	t.Parallel()
	l := newLanes()
	one := func() *exampleTest { return &exampleTest{file: "x.wasm", fuel: 100, lanes: &l} }
	begin := func(trials ...*exampleTest) {
		t.Helper()
		for _, x := range trials {
			if err := x.begin(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	a, b := one(), one()
	begin(a, b)
	if err := errors.Join(a.spend(t.Context(), 100), b.spend(t.Context(), 90)); err != nil || len(l.quick) != 2 {
		t.Fatalf("within the fuel of a call: %v, %d in the quick lane", err, len(l.quick))
	}
	if err := a.spend(t.Context(), 1); err != nil || len(l.quick) != 1 || len(l.slow) != 1 {
		t.Fatalf("beyond it: %v, %d in the quick lane, %d in the slow one", err, len(l.quick), len(l.slow))
	}
	waits := make(chan error)
	go func() { waits <- b.spend(t.Context(), 100) }() // for a
	for range 10 {
		good := one()
		begin(good) // nothing is in its way
		good.end()
	}
	select {
	case err := <-waits:
		t.Errorf("two slow ones at once, %v", err)
	default:
	}
	a.end()
	if err := <-waits; err != nil || len(l.slow) != 1 {
		t.Errorf("after the other: %v, %d in the slow lane", err, len(l.slow))
	}
	err := b.spend(t.Context(), 10_000)
	if sandbox.LimitOf(err) != "fuel" {
		t.Errorf("beyond the budget: got %v", err)
	}
	b.end()
	if len(l.quick)+len(l.slow) != 0 {
		t.Errorf("%d and %d still have a turn", len(l.quick), len(l.slow))
	}
}
