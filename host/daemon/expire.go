package daemon

import (
	"context"
	"time"
)

// expiry is how often rules whose time is over are deleted, and old calls
// forgotten. Rules stop counting at their time, not when they are deleted.
const expiry = time.Minute

// expire deletes rules whose time is over, and calls that were judged long ago,
// until ctx ends.
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
			d.log.Error("rules whose time is over could not be deleted", "error", err)
		case n > 0:
			d.log.Info("rules whose time was over are deleted", "rules", n)
		}
		if _, err := calls(ctx); err != nil && ctx.Err() == nil {
			d.log.Error("old calls could not be forgotten", "error", err)
		}
	}
}
