package ask

import (
	"context"
	"fmt"
	"time"
)

// Recover takes up what the store holds: asks that waited when the last process
// ended are shown again with what is left of their clock, at least Config.Grace
// (but never beyond their caller's deadline); those whose clock has run out are
// ended as timed out; pauses go on. It returns how many asks wait. Their clients
// find the answer when they come back with the same key. Call it once, before
// the first Ask.
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

// adopt takes a waiting ask of the store into memory, or ends it as timed out
// when its time is over. The caller holds the turn and then calls advance.
func (b *Broker) adopt(ctx context.Context, a Ask) *entry {
	b.mu.Lock()
	known := b.find(a.ID)
	b.mu.Unlock()
	if known != nil {
		return known
	}
	now := b.cfg.Now()
	e := newEntry(a)
	if at := due(a); !at.IsZero() && !now.Before(at) {
		b.forceEnd(ctx, e, TimedOut, CauseTimeout)
		return e
	}
	if a.State == Shown {
		b.extend(ctx, e, capped(now.Add(b.cfg.Grace), a.CallerDeadline))
	}
	b.admit(e)
	return e
}

// extend gives a recovered ask at least until least.
func (b *Broker) extend(ctx context.Context, e *entry, least time.Time) {
	if !e.ask.Deadline.Before(least) {
		return
	}
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next := e.ask
	next.Deadline = least
	ok, err := b.cfg.Store.CompareAndSetAsk(ctx, Shown, next)
	if err != nil || !ok {
		b.cfg.Log.Error("recovered ask keeps its old clock", "ask", next.ID, "error", err)
		return
	}
	e.ask = next
}
