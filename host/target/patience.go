package target

import (
	"context"
	"time"
)

// turns is in how many parts the time of a look-up is counted.
const turns = 10

// patient returns a context that ends with errTooSlow as its cause once patience
// has passed in which this process had the processor: a part of the time that
// lasted longer than it should, because a crowded machine did not let anything
// run, counts once. So a busy machine is not taken for a file system that does not
// answer, and a harmless call is not asked about for it. However crowded, it ends
// after ten times patience.
func patient(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	ctx, last := context.WithTimeoutCause(ctx, turns*patience, errTooSlow)
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(patience / turns)
		defer tick.Stop()
		for range turns {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		cancel(errTooSlow)
	}()
	return ctx, func() {
		cancel(context.Canceled)
		last()
	}
}
