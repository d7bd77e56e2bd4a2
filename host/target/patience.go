package target

import (
	"context"
	"os"
	"sync/atomic"
	"time"
)

// turns is in how many parts the time of a look-up is counted.
const turns = 10

// crowded is how many times its patience a look-up may take on a crowded machine.
const crowded = 30

// patient returns a context that ends with errTooSlow as its cause once patience
// has passed in which this process had the processor. A busy machine is not taken
// for a file system that does not answer, and a harmless call is not asked about
// for it: a part of the time that lasted longer than it should, because a crowded
// machine did not let anything run, counts only where the look-up took no step in
// it, and at most once. However crowded, it ends after thirty times patience.
func patient(ctx context.Context, patience time.Duration, steps *atomic.Int64) (context.Context, context.CancelFunc) {
	ctx, last := context.WithTimeoutCause(ctx, crowded*patience, errTooSlow)
	ctx, cancel := context.WithCancelCause(ctx)
	part := patience / turns
	go func() {
		for counted := 0; counted < turns; {
			begun, before := time.Now(), steps.Load()
			select {
			case <-time.After(part):
			case <-ctx.Done():
				return
			}
			// Coming back from the kernel takes a turn at the processor of its own,
			// for which a look-up may have to wait longer than for a timer.
			_, _ = os.Lstat("/")
			if time.Since(begun) <= part+part/2 || steps.Load() == before {
				counted++
			}
		}
		cancel(errTooSlow)
	}()
	return ctx, func() {
		cancel(context.Canceled)
		last()
	}
}
