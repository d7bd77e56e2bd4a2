package daemon

import (
	"context"
	"time"
)

// expiry is the interval for deleting expired rules and forgetting old calls. Rules stop counting
// at their time, not when they are deleted.
const expiry = time.Minute

// expire deletes expired rules and calls judged long ago, until ctx ends.
func (d *Daemon) expire(ctx context.Context, rules, calls func(context.Context) (int, error)) {
	tick := time.NewTicker(expiry)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := rules(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			d.log.Error("expired rules could not be deleted", "error", err)
		case n > 0:
			d.log.Info("expired rules deleted", "rules", n)
		}
		if _, err := calls(ctx); err != nil && ctx.Err() == nil {
			d.log.Error("old calls could not be deleted", "error", err)
		}
	}
}
