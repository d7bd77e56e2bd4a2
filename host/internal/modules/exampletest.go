package modules

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// exampleFuelFactor is how many times the fuel of one call trying a module may take: all of
// its own examples together.
const exampleFuelFactor = 10

// The number of modules under test at once: some, and fewer of those beyond the fuel of a whole
// call. So a slow module delays other slow ones alone.
const (
	quickLanes = 2
	slowLanes  = 1
)

// lanes share out who may try. The zero value is not usable.
type lanes struct{ quick, slow chan struct{} }

func newLanes() lanes {
	return lanes{make(chan struct{}, quickLanes), make(chan struct{}, slowLanes)}
}

// exampleTest is the running of one module's own examples. A nil one counts nothing.
type exampleTest struct {
	file  string
	fuel  int64 // of one call
	spent int64
	lanes *lanes
	lane  chan struct{} // its lane; nil for none
}

// begin waits for a turn.
func (t *exampleTest) begin(ctx context.Context) error { return t.enter(ctx, t.lanes.quick) }

func (t *exampleTest) enter(ctx context.Context, lane chan struct{}) error {
	t.end()
	select {
	case lane <- struct{}{}:
		t.lane = lane
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end gives the turn to others.
func (t *exampleTest) end() {
	if t.lane != nil {
		<-t.lane
		t.lane = nil
	}
}

// spend counts the fuel of a call. The error is for a module with examples beyond their total fuel.
func (t *exampleTest) spend(ctx context.Context, fuel int64) error {
	t.spent += fuel
	switch {
	case t.spent > exampleFuelFactor*t.fuel:
		return &sandbox.Error{
			Module: t.file, Export: "rule_examples", Kind: sandbox.KindFuel, Limit: "fuel",
			Message: fmt.Sprintf("testing the examples takes more than %d units of fuel, %d times the limit of one call", exampleFuelFactor*t.fuel, exampleFuelFactor),
		}
	case t.spent > t.fuel && t.lane == t.lanes.quick:
		return t.enter(ctx, t.lanes.slow)
	}
	return nil
}
