package ask

import (
	"context"
	"errors"
	"slices"
	"time"
)

// errMoved means that another daemon changed a waiting ask first; the entry is up to date now.
var errMoved = errors.New("another daemon changed the ask at the same time")

// maxMoves bounds how often a change is tried anew after another daemon's.
const maxMoves = 5

// foreignGrace is how much longer than the daemon of its call another one waits before it ends an
// overdue ask: usually the first one does.
const foreignGrace = time.Second

// isForeign reports whether the call of an ask waits at another daemon.
func (b *Broker) isForeign(a Ask) bool { return b.cfg.Node != "" && a.Node != b.cfg.Node }

// Elsewhere reports whether the call of an ask may wait at another daemon of the store: the call came
// to it, and it runs. A daemon that cannot be looked up counts as running, so nobody hears that a
// client is gone that may wait.
func (b *Broker) Elsewhere(ctx context.Context, a Ask) bool {
	if !b.isForeign(a) {
		return false
	}
	alive, err := b.cfg.Alive(ctx)
	return err != nil || alive[a.Node]
}

// swap changes an ask in the store if nobody else did, and counts the change.
func (b *Broker) swap(ctx context.Context, from State, next *Ask) (bool, error) {
	ok, err := b.cfg.Store.CompareAndSetAsk(ctx, from, *next)
	if ok {
		next.Rev++
	}
	return ok, err
}

// reread takes over the store's state of a waiting entry and reports whether it could.
func (b *Broker) reread(ctx context.Context, e *entry) bool {
	stored, err := b.cfg.Store.Ask(ctx, e.ask.ID)
	if err != nil {
		return false
	}
	if stored.State.Waiting() {
		if stored.Rev == e.ask.Rev {
			return false // nobody changed it: something else is wrong
		}
		b.replace(e, stored)
		return true
	}
	b.conclude(e, stored)
	return true
}

// replace takes over another daemon's change of a waiting ask. The caller holds the turn.
func (b *Broker) replace(e *entry, stored Ask) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := EventVoted
	if e.ask.State != stored.State {
		kind = EventShown
	}
	stored.Undelivered = e.ask.Undelivered
	stored.Away = e.ask.Away && stored.Node == e.ask.Node // a daemon took it up: its client is back
	e.ask = stored
	b.schedule(e)
	b.publish(Event{Kind: kind, Ask: stored})
}

// Refresh takes over another daemon's change of an ask: a new one, a vote, or its end, which
// releases a call that waits here.
func (b *Broker) Refresh(ctx context.Context, id string) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	return b.refresh(ctx, id)
}

// refresh is Refresh with the turn taken.
func (b *Broker) refresh(ctx context.Context, id string) error {
	stored, err := b.cfg.Store.Ask(ctx, id)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	b.mu.Lock()
	e := b.find(id)
	b.mu.Unlock()
	switch {
	case e == nil && stored.State.Waiting():
		b.adopt(ctx, stored)
	case e == nil || stored.State.Waiting() && stored.Rev <= e.ask.Rev:
	case stored.State.Waiting():
		b.replace(e, stored)
	default:
		b.conclude(e, stored)
		b.advance(ctx, laneOf(stored))
	}
	return nil
}

// RefreshAll takes over all changes by other daemons, after some may have been missed.
func (b *Broker) RefreshAll(ctx context.Context) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	revs, err := b.cfg.Store.WaitingRevs(ctx)
	if err != nil {
		return err
	}
	known := map[string]int64{}
	for _, a := range b.Waiting(Filter{}) {
		known[a.ID] = a.Rev
	}
	for id, rev := range revs {
		if have, ok := known[id]; !ok || have != rev {
			if err := b.refresh(ctx, id); err != nil {
				return err
			}
		}
	}
	for id := range known {
		if _, ok := revs[id]; !ok {
			if err := b.refresh(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// RefreshStreaks reads the pauses of sessions again; all of them for nil. A stop that could not be
// stored stays.
func (b *Broker) RefreshStreaks(ctx context.Context, sessions []string) error {
	streaks, err := b.cfg.Store.Streaks(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, session := range sessions {
		delete(b.streaks, session)
	}
	for _, s := range streaks {
		if sessions == nil || slices.Contains(sessions, s.Session) {
			b.streaks[s.Session] = s
		}
	}
	return nil
}

// Meet takes note of the daemons that run. An ask whose call waits at none of them has no client, and
// the surfaces hear of it, until a daemon takes it up or its own is back. One that a call waits for
// here becomes this daemon's.
func (b *Broker) Meet(ctx context.Context, alive map[string]bool) error {
	if len(b.changedBy(alive)) == 0 {
		return nil
	}
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	var failed error
	for _, e := range b.changedBy(alive) {
		if b.attended(e) {
			failed = errors.Join(failed, b.takeUp(ctx, e))
			continue
		}
		b.mu.Lock()
		b.setAway(e, !e.ask.Away)
		b.mu.Unlock()
	}
	return failed
}

// changedBy are the waiting asks of other daemons that are not as these running daemons have them.
func (b *Broker) changedBy(alive map[string]bool) (found []*entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.waiting.all {
		if !b.isForeign(e.ask) {
			continue
		}
		if gone := !alive[e.ask.Node]; e.waiters > 0 && gone || e.waiters == 0 && gone != e.ask.Away {
			found = append(found, e)
		}
	}
	return found
}

// setAway tells the surfaces whether a client waits for an ask. The caller holds the turn and mu.
func (b *Broker) setAway(e *entry, away bool) {
	e.ask.Away = away
	kind := EventShown
	if e.ask.State == Queued {
		kind = EventQueued
	}
	b.publish(Event{Kind: kind, Ask: e.ask, Position: b.position(e)})
}

// takeUp makes the ask of a daemon that is gone this one's, so that no other counts its client as
// gone. The caller holds the turn.
func (b *Broker) takeUp(ctx context.Context, e *entry) error {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next := e.ask
	next.Node, next.Away = b.cfg.Node, false
	ok, err := b.swap(ctx, e.ask.State, &next)
	if err != nil {
		return err
	}
	if !ok {
		b.reread(ctx, e) // or the next look finds it
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.ask = next
	b.schedule(e)
	return nil
}

// attended reports whether a call waits here for the ask.
func (b *Broker) attended(e *entry) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.waiters > 0
}

// orphans gives the asks of daemons that are gone to this one.
func (b *Broker) orphans(ctx context.Context, asks []Ask) error {
	if b.cfg.Node == "" {
		return nil
	}
	alive, err := b.cfg.Alive(ctx)
	if err != nil {
		return err
	}
	for i := range asks {
		if !alive[asks[i].Node] {
			asks[i].Node = b.cfg.Node
		}
	}
	return nil
}
