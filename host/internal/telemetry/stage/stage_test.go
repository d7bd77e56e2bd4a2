package stage_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/telemetry/stage"
)

func TestSteps(t *testing.T) {
	t.Parallel()
	ctx, rec := stage.Record(t.Context())
	outer := stage.Begin(ctx, "decide")
	stage.Begin(ctx, "module")()
	inner := stage.Begin(ctx, "module")
	outer()
	stage.Begin(ctx, "audit")()
	inner()
	steps, missed := rec.Steps()
	var got string
	for _, s := range steps {
		got += fmt.Sprintf("%s %d; ", s.Name, s.Parent)
		if s.Begun.IsZero() || s.Ended.Before(s.Begun) {
			t.Errorf("times of %+v", s)
		}
	}
	if want := "decide -1; module 0; module 0; audit 2; "; got != want || missed != 0 {
		t.Errorf("got %q, %d missed, want %q", got, missed, want)
	}
}

// TestBegin_withoutRecording: a check without a trace pays no allocation.
func TestBegin_withoutRecording(t *testing.T) {
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() { stage.Begin(ctx, "decide")() }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// TestSteps_crowd: many goroutines, more steps than the bound, and a look amid them.
func TestSteps_crowd(t *testing.T) {
	t.Parallel()
	ctx, rec := stage.Record(t.Context())
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 100 {
				stage.Begin(ctx, "x")()
				rec.Steps()
			}
		})
	}
	wg.Wait()
	steps, missed := rec.Steps()
	if len(steps) != 200 || missed != 800 {
		t.Errorf("got %d steps, %d missed; want 200 and 800", len(steps), missed)
	}
}
