package target

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, done := patient(t.Context(), 200*time.Millisecond, new(atomic.Int64))
		defer done()
		begin := time.Now()
		<-ctx.Done()
		if took := time.Since(begin); took != 200*time.Millisecond || !errors.Is(context.Cause(ctx), errTooSlow) {
			t.Errorf("ended after %v by %v: want 200ms and %v", took, context.Cause(ctx), errTooSlow)
		}
		early, done := patient(t.Context(), time.Second, new(atomic.Int64))
		done()
		if err := context.Cause(early); !errors.Is(err, context.Canceled) {
			t.Errorf("given up by %v: want %v", err, context.Canceled)
		}
	})
}
