package ask

import (
	"context"
	"errors"
	"slices"
	"time"
)

// end stores next as the end of e and, only then, publishes it. When the store has another end
// already, that one counts and the error is a *SettledError; on any other error nothing has
// changed. The caller holds the turn.
func (b *Broker) end(ctx context.Context, e *entry, next Ask) error {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next.Input = nil
	next.EndedAt = b.cfg.Now()
	ok, err := b.swap(ctx, e.ask.State, &next)
	if err != nil {
		return err
	}
	if ok {
		b.conclude(e, next)
		return nil
	}
	stored, err := b.cfg.Store.Ask(ctx, next.ID)
	if err != nil {
		return err
	}
	if stored.State.Waiting() {
		b.replace(e, stored)
		return errMoved
	}
	b.conclude(e, stored)
	return &SettledError{Ask: stored}
}

// forceEnd ends e without a person. It only ever denies, so a failing store does not stop it:
// the waiters get their answer, and a restart finds the ask waiting and ends it by its clock.
// The caller holds the turn. It reports whether this is the end that counts.
func (b *Broker) forceEnd(ctx context.Context, e *entry, state State, cause Cause) (ours bool) {
	next := e.ask
	next.State, next.Cause = state, cause
	err := b.end(ctx, e, next)
	for range maxMoves {
		if !errors.Is(err, errMoved) {
			break
		}
		next = e.ask
		next.State, next.Cause = state, cause
		err = b.end(ctx, e, next)
	}
	if err == nil || !e.ask.State.Waiting() {
		return err == nil
	}
	b.cfg.Log.Error("ask ended without the store", "ask", e.ask.ID, "cause", string(cause), "error", err)
	next.Input, next.EndedAt = nil, b.cfg.Now()
	b.conclude(e, next)
	return true
}

// conclude makes the stored end known to waiters and subscribers.
func (b *Broker) conclude(e *entry, final Ask) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stopTimer(e)
	b.waiting.remove(e)
	e.ask = final
	close(e.done)
	b.publish(Event{Kind: endEvents[final.State], Ask: b.cfg.Ended(final)})
}

// laneBusy reports whether the lane shows an ask. The caller holds the turn.
func (b *Broker) laneBusy(l lane) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.waiting.sessions[l.session], func(e *entry) bool {
		return e.ask.State == Shown && e.ask.Agent == l.agent
	})
}

// advance shows the lane's next ask if none is visible. The caller holds the
// turn.
func (b *Broker) advance(ctx context.Context, l lane) {
	for !b.laneBusy(l) {
		e := b.nextQueued(l)
		if e == nil {
			return
		}
		b.show(ctx, e)
	}
}

func (b *Broker) nextQueued(l lane) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.waiting.sessions[l.session] {
		if e.ask.State == Queued && e.ask.Agent == l.agent {
			return e
		}
	}
	return nil
}

// show makes a queued ask visible, or ends it when its caller's time is over or
// the store cannot note it.
func (b *Broker) show(ctx context.Context, e *entry) {
	now := b.cfg.Now()
	if limit := e.ask.CallerDeadline; !limit.IsZero() && !now.Before(limit) {
		b.forceEnd(ctx, e, TimedOut, CauseTimeout)
		return
	}
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next := shownAt(e.ask, now)
	ok, err := b.swap(ctx, Queued, &next)
	if err == nil && !ok && b.reread(ctx, e) {
		return
	}
	if err != nil || !ok {
		b.cfg.Log.Error("queued ask not shown", "ask", next.ID, "error", err)
		b.forceEnd(ctx, e, Denied, CauseError)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.ask = next
	b.schedule(e)
	b.publish(Event{Kind: EventShown, Ask: next})
}

// due is when the ask ends by itself; zero when it does not.
func due(a Ask) time.Time {
	if a.State == Shown {
		return a.Deadline
	}
	return a.CallerDeadline
}

// schedule sets the timer for the ask's present state. The caller holds mu.
func (b *Broker) schedule(e *entry) {
	stopTimer(e)
	at := due(e.ask)
	if at.IsZero() {
		return
	}
	if e.waiters == 0 && b.isForeign(e.ask) {
		at = at.Add(foreignGrace)
	}
	e.timer = time.AfterFunc(at.Sub(b.cfg.Now()), func() { b.expire(e) })
}

func stopTimer(e *entry) {
	if e.timer != nil {
		e.timer.Stop()
	}
}

// expire ends e if its time is really over; the timer may have been replaced while it fired.
func (b *Broker) expire(e *entry) {
	ctx := context.Background()
	if b.acquire(ctx) != nil {
		return // closed
	}
	defer b.release()
	if !e.ask.State.Waiting() || !b.overdue(e) {
		return
	}
	b.timeOut(ctx, e)
}

// overdue reports whether e's time is over, and sets the timer again if not.
func (b *Broker) overdue(e *entry) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := due(e.ask)
	if at.IsZero() || b.cfg.Now().Before(at) {
		b.schedule(e)
		return false
	}
	return true
}

func (b *Broker) timeOut(ctx context.Context, e *entry) {
	if b.forceEnd(ctx, e, TimedOut, CauseTimeout) {
		b.settleStreak(ctx, e.ask)
	}
	b.advance(ctx, laneOf(e.ask))
}
