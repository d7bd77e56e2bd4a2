package discord

import (
	"context"
	"time"
)

// escalate posts the further cards when nobody has answered for as long as the route
// says, counted from when the ask was shown, and returns when to look again.
func (f *follower) escalate(ctx context.Context) time.Duration {
	route, a := f.route(), f.now()
	if route.Escalate == nil || !a.State.Waiting() {
		return never
	}
	if left := time.Duration(route.Escalate.After) - f.s.c.Now().Sub(a.ShownAt); left > 0 {
		return left
	}
	f.post(ctx, furtherPlaces(route))
	return never
}

// never is longer than an ask waits.
const never = 365 * 24 * time.Hour
