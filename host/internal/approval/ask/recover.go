package ask

import (
	"context"
	"fmt"
	"time"
)

// Recover takes up the store's state: asks left waiting by the last process are shown again
// with the rest of their clock, at least Config.Grace (but never beyond their caller's
// deadline); those with an expired clock are ended as timed out; pauses go on. It returns how
// many asks wait. Their clients find the answer when they come back with the same key. Call it
// once, before the first Ask.
func (b *Broker) Recover(ctx context.Context) (int, error) {
	if err := b.acquire(ctx); err != nil {
		return 0, err
	}
	defer b.release()
	streaks, err := b.cfg.Store.Streaks(ctx)
	if err != nil {
		return 0, fmt.Errorf("recover pauses: %w", err)
	}
	asks, err := b.cfg.Store.WaitingAsks(ctx)
	if err != nil {
		return 0, fmt.Errorf("recover asks: %w", err)
	}
	if err := b.orphans(ctx, asks); err != nil {
		return 0, fmt.Errorf("recover asks: %w", err)
	}
	for _, s := range streaks {
		b.keepStreak(s)
	}
	lanes := map[lane]bool{}
	for _, a := range asks {
		b.adopt(ctx, a)
		lanes[laneOf(a)] = true
	}
	for l := range lanes {
		b.advance(ctx, l)
	}
	return len(b.Waiting(Filter{})), nil
}

// adopt loads a waiting ask of the store, or ends it when its time is over or there is no room.
// A visible one in a lane occupied by now goes back to the queue. The caller holds the turn and
// then calls advance.
func (b *Broker) adopt(ctx context.Context, a Ask) *entry {
	b.mu.Lock()
	known := b.find(a.ID)
	b.mu.Unlock()
	if known != nil {
		return known
	}
	now := b.cfg.Now()
	a.Undelivered, a.Away = nil, !b.isForeign(a) // the surfaces try again, and no client is here yet
	e := newEntry(a)
	if at := due(a); !at.IsZero() && !now.Before(at) {
		b.forceEnd(ctx, e, TimedOut, CauseTimeout)
		return e
	}
	if b.isForeign(a) {
		b.admit(e)
		return e
	}
	if b.flooded(a) {
		b.forceEnd(ctx, e, Denied, CauseFlood)
		return e
	}
	if a.State == Shown && !b.reclock(ctx, e, now) {
		b.forceEnd(ctx, e, Denied, CauseError)
		return e
	}
	b.admit(e)
	return e
}

// reclock gives a recovered ask its new clock, or its place in the queue, and
// reports whether the store holds it.
func (b *Broker) reclock(ctx context.Context, e *entry, now time.Time) bool {
	next := e.ask
	if b.laneBusy(laneOf(next)) {
		next.State, next.ShownAt, next.Deadline = Queued, time.Time{}, time.Time{}
	} else if least := capped(now.Add(b.cfg.Grace), next.CallerDeadline); next.Deadline.Before(least) {
		next.Deadline = least
	}
	ctx, cancel := storeContext(ctx)
	defer cancel()
	ok, err := b.swap(ctx, Shown, &next)
	if err == nil && !ok && b.reread(ctx, e) {
		return e.ask.State.Waiting()
	}
	if err != nil || !ok {
		b.cfg.Log.Error("ask not recovered", "ask", next.ID, "error", err)
		return false
	}
	e.ask = next
	return true
}
