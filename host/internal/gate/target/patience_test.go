package target

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := patient(t.Context(), 200*time.Millisecond)
		defer c.stop()
		if err := c.Err(); err != nil {
			t.Errorf("begins as ended: %v", err)
		}
		begin := time.Now()
		<-c.Done()
		if took := time.Since(begin); took != 200*time.Millisecond || c.Err() == nil || !errors.Is(c.cause(), errTooSlow) {
			t.Errorf("ended after %v by %v and %v: want 200ms and %v", took, c.cause(), c.Err(), errTooSlow)
		}
		early := patient(t.Context(), time.Second)
		early.stop()
		if err := early.cause(); early.Err() == nil || !errors.Is(err, context.Canceled) {
			t.Errorf("given up by %v: want %v", err, context.Canceled)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		left := patient(ctx, time.Second)
		defer left.stop()
		why := errors.New("the caller left")
		cancel(why)
		if err := left.cause(); left.Err() == nil || !errors.Is(err, why) {
			t.Errorf("after its caller left: %v, want %v", err, why)
		}
	})
}
