package link

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestPool_isBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var missed, ran, at, most atomic.Int32
		gate := make(chan struct{})
		p := &pool{log: slog.New(slog.DiscardHandler), most: 3, backlog: 5, missed: func() { missed.Add(1) }}
		task := func() {
			n := at.Add(1)
			defer at.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			<-gate
			ran.Add(1)
			panic("contained")
		}
		for range 20 {
			p.run(task)
		}
		synctest.Wait()
		close(gate)
		p.wait()
		if ran.Load() != 8 || most.Load() != 3 || missed.Load() != 1 {
			t.Errorf("%d ran, %d at once, %d times what was missed was looked up", ran.Load(), most.Load(), missed.Load())
		}
		p.run(func() {})
		p.wait()
		if missed.Load() != 1 {
			t.Error("it was looked up again")
		}
	})
}

func TestOnce(t *testing.T) {
	var calls atomic.Int32
	respond := once(func(context.Context, Response) error {
		switch calls.Add(1) {
		case 1:
			return unsound("x", ErrGone)
		case 2:
			return &Error{Status: 400}
		}
		return &Error{Status: 500}
	})
	for range 2 {
		if err := respond(t.Context(), Response{}); err == nil || err == ErrAnswered {
			t.Errorf("refused: %v", err)
		}
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { _ = respond(t.Context(), Response{}) }) // one of them is sent
	}
	all.Wait()
	if calls.Load() != 3 {
		t.Errorf("sent %d times, want 3", calls.Load())
	}
}
