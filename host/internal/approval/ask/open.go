package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
)

// Outcome is what a call that asked gets. The zero value denies.
type Outcome struct {
	// Ask is the ask as it ended; nil only in the zero Outcome. When the call was refused without a
	// card its ID is empty and only Cause tells why.
	Ask *Ask
	// Cause repeats Ask.Cause.
	Cause Cause
	// Message is one clean sentence for the model; empty on an approval.
	Message string
}

// Approved reports whether the call may be decided again as approved. It is the
// only way in which an outcome is not a denial; the zero Outcome is one.
func (o Outcome) Approved() bool {
	return o.Ask != nil && o.Ask.State == Approved && (o.Cause == CauseAnswered || o.Cause == CauseCovered)
}

// Ask waits until a person, the clock or an event has decided the call, and
// returns how. The caller fills in what the call is; ID, state, times and
// answer are the broker's. The clock is also capped by the context's deadline.
//
// A second Ask with the same token, session, call id and digest joins the one
// that waits and shares its outcome; one that comes back later (a client after
// a restart) gets the stored answer, an approval only once. When ctx is
// cancelled and nobody else waits, the ask is cancelled.
//
// An error means that the request is not sound, the store failed or the broker
// was closed. The outcome then denies.
func (b *Broker) Ask(ctx context.Context, asked *Ask) (Outcome, error) {
	e, out, err := b.enter(ctx, asked)
	if err != nil || e == nil {
		return out, err
	}
	return b.wait(ctx, e)
}

// enter is Ask without the waiting: what it needs is not on the stack of a waiting call. A nil entry
// means that the outcome is final.
func (b *Broker) enter(ctx context.Context, asked *Ask) (*entry, Outcome, error) {
	a := *asked
	a.ID = ""
	if err := validAsk(a); err != nil {
		return nil, refusal(&a, CauseError), err
	}
	e, out, err := b.open(ctx, a)
	if err != nil {
		return nil, refusal(&a, CauseError), err
	}
	return e, out, nil
}

func validAsk(a Ask) error {
	switch {
	case a.Decision.Behavior != engine.Ask:
		return fmt.Errorf("ask about %s: its decision is %s, not ask", a.Tool, a.Decision.Behavior)
	case a.CallID == "" || a.Digest == "" || a.Token == "" || a.Session == "":
		return fmt.Errorf("ask about %s: token, session, call id and digest are needed to bind an approval", a.Tool)
	}
	return nil
}

// open finds the ask to wait for, or makes it. A nil entry means that the call
// is already decided, as the outcome says.
func (b *Broker) open(ctx context.Context, a Ask) (*entry, Outcome, error) {
	if err := b.acquireAtDoor(ctx); err != nil {
		return nil, Outcome{}, err
	}
	defer b.release()
	if b.Stopped(a.Session) != "" {
		return nil, refusal(&a, CauseStopped), nil
	}
	if e := b.join(a.Key(), a.Digest); e != nil {
		return e, Outcome{}, nil
	}
	if b.paused(a.Session) {
		return nil, refusal(&a, CausePaused), nil
	}
	e, out, err := b.returning(ctx, a)
	if err != nil || e != nil || out.Cause != "" {
		return e, out, err
	}
	return b.fresh(ctx, a)
}

// join adds a waiter to the ask that waits under key with this digest.
func (b *Broker) join(key Key, digest string) *entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.waiting.sessions[key.Session] {
		if e.ask.CallID == key.CallID && e.ask.Key() == key && e.ask.Digest == digest {
			b.attend(e)
			return e
		}
	}
	return nil
}

// attend adds a waiter; the first one after a restart is told to the surfaces. The caller holds
// the turn and mu.
func (b *Broker) attend(e *entry) {
	e.waiters++
	if e.ask.Away {
		b.setAway(e, false)
	}
}

// returning answers a call whose key the store knows. An outcome without a
// cause means that the call has to be asked about afresh.
func (b *Broker) returning(ctx context.Context, a Ask) (*entry, Outcome, error) {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	last, err := b.cfg.Store.LastAsk(ctx, a.Key())
	switch {
	case errors.Is(err, ErrUnknown):
		return nil, Outcome{}, nil
	case err != nil:
		return nil, Outcome{}, fmt.Errorf("look up call %s: %w", a.CallID, err)
	case last.Digest != a.Digest:
		return nil, refusal(&a, CauseReused), nil
	case last.State.Waiting():
		return b.readopt(ctx, last)
	case b.cfg.Now().Sub(last.EndedAt) >= b.cfg.Validity:
		return nil, Outcome{}, nil
	case last.State == Approved:
		return b.useStored(ctx, last)
	case undecided[last.Cause]:
		return nil, Outcome{}, nil
	}
	return nil, OutcomeOf(&last), nil
}

// undecided are the ends that were nobody's decision: the call may ask again.
var undecided = map[Cause]bool{CauseCaller: true, CauseError: true, CauseNoSurface: true, CausePaused: true, CauseStopped: true, CauseFlood: true}

// readopt takes up a waiting ask that only the store knows, as after a failed
// write.
func (b *Broker) readopt(ctx context.Context, last Ask) (*entry, Outcome, error) {
	e := b.adopt(ctx, last)
	if !e.ask.State.Waiting() {
		return nil, OutcomeOf(&e.ask), nil
	}
	b.advance(ctx, laneOf(last))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.attend(e)
	return e, Outcome{}, nil
}

// useStored hands out an approval that was given while its client was away; one
// that was used before does not count.
func (b *Broker) useStored(ctx context.Context, last Ask) (*entry, Outcome, error) {
	if last.Answer != nil && last.Answer.Edited && last.Answer.Input == nil {
		return nil, Outcome{}, nil // what was approved is not this call, and is not stored
	}
	last.UsedAt = b.cfg.Now()
	ok, err := b.cfg.Store.UseAsk(ctx, last.ID, last.UsedAt)
	if err != nil {
		return nil, Outcome{}, fmt.Errorf("use the approval of ask %s: %w", last.ID, err)
	}
	if !ok {
		return nil, Outcome{}, nil
	}
	return nil, OutcomeOf(&last), nil
}

// fresh makes a new ask unless the agent has to be held back.
func (b *Broker) fresh(ctx context.Context, a Ask) (*entry, Outcome, error) {
	writing, cancel := storeContext(ctx)
	defer cancel()
	now := b.cfg.Now()
	denied, err := b.cfg.Store.DeniedAsk(writing, a.Agent, a.Digest, now.Add(-b.cfg.Memory))
	if err == nil {
		out := refusal(&a, CauseRepeated)
		out.Ask.Answer = denied.Answer
		return nil, out, nil
	}
	if !errors.Is(err, ErrUnknown) {
		return nil, Outcome{}, fmt.Errorf("look up denials of agent %s: %w", a.Agent, err)
	}
	if b.flooded(a) {
		return nil, refusal(&a, CauseFlood), nil
	}
	return b.insert(writing, b.prepare(ctx, a, now))
}

// flooded reports whether the session or the agent has its fill of waiting asks.
func (b *Broker) flooded(a Ask) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	bySession, byAgent := b.counts(a)
	return bySession >= b.cfg.PerSession || byAgent >= b.cfg.PerAgent
}

// prepare sets what is the broker's to set. The ask is born visible when its
// lane is free, which saves a write.
func (b *Broker) prepare(ctx context.Context, a Ask, now time.Time) Ask {
	if a.Timeout <= 0 {
		a.Timeout = b.cfg.Timeout
	}
	if limit, ok := ctx.Deadline(); ok && (a.CallerDeadline.IsZero() || limit.Before(a.CallerDeadline)) {
		a.CallerDeadline = limit
	}
	a.Input = slices.Clone(a.Input)
	a.CreatedAt = now
	a.Node, a.Rev = b.cfg.Node, 0
	a.State, a.Cause, a.Answer, a.Votes, a.Undelivered, a.Away = Queued, "", nil, nil, nil, false
	a.ShownAt, a.Deadline, a.EndedAt, a.UsedAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	if !b.laneBusy(laneOf(a)) {
		a = shownAt(a, now)
	}
	return a
}

// shownAt is the ask from the moment it becomes visible.
func shownAt(a Ask, now time.Time) Ask {
	a.State, a.ShownAt = Shown, now
	a.Deadline = capped(now.Add(a.Timeout), a.CallerDeadline)
	return a
}

// capped returns the earlier of the two; a zero limit does not cap.
func capped(t, limit time.Time) time.Time {
	if !limit.IsZero() && limit.Before(t) {
		return limit
	}
	return t
}

// insert stores the ask under a new id and only then shows it.
func (b *Broker) insert(writing context.Context, a Ask) (*entry, Outcome, error) {
	for {
		id, err := newID(b.cfg.Rand)
		if err != nil {
			return nil, Outcome{}, err
		}
		a.ID = id
		err = b.cfg.Store.InsertAsk(writing, a)
		if errors.Is(err, ErrDuplicateID) && writing.Err() == nil {
			continue
		}
		if err != nil {
			return nil, Outcome{}, fmt.Errorf("store the ask about %s: %w", a.Tool, err)
		}
		e := newEntry(a)
		e.waiters = 1
		b.admit(e)
		return e, Outcome{}, nil
	}
}

func newEntry(a Ask) *entry {
	return &entry{ask: a, done: make(chan struct{}), seen: map[string]bool{}, failed: map[string]bool{}}
}

// admit makes a stored ask known. The caller holds the turn.
func (b *Broker) admit(e *entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting.add(e)
	b.schedule(e)
	kind := EventShown
	if e.ask.State == Queued {
		kind = EventQueued
	}
	b.publish(Event{Kind: kind, Ask: e.ask, Position: b.position(e)})
}
