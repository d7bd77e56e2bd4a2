package ask

import (
	"context"
	"fmt"
)

func (b *Broker) paused(session string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.streaks[session].PausedAt.IsZero()
}

// Pause stops a session because of an event in it: its waiting asks are denied, and Stopped
// says why until an approver resumes it. A stopped session stays so with its first reason. The
// stop holds in memory even when the store fails; then the error says that a restart would
// forget it.
func (b *Broker) Pause(ctx context.Context, session, why string) error {
	if why == "" {
		return fmt.Errorf("pause session %q: a reason is needed", session)
	}
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	b.mu.Lock()
	s := b.streaks[session]
	b.mu.Unlock()
	if s.Why != "" {
		return nil
	}
	s.Session, s.PausedAt, s.Why = session, b.cfg.Now(), why
	err := b.saveStreak(ctx, s)
	if err != nil {
		b.keepStreak(s)
		err = fmt.Errorf("pause session %q: %w", session, err)
	}
	b.announceStop(ctx, session)
	return err
}

// Stopped says why Pause stopped a session; empty when it did not.
func (b *Broker) Stopped(session string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.streaks[session].Why
}

// Resume ends a session's pause in the name of by. The caller checks that person's rights.
// ErrNotPaused when there is none.
func (b *Broker) Resume(ctx context.Context, session, by string) error {
	if err := b.acquire(ctx); err != nil {
		return err
	}
	defer b.release()
	if !b.paused(session) {
		return fmt.Errorf("session %q: %w", session, ErrNotPaused)
	}
	if err := b.saveStreak(ctx, Streak{Session: session, By: by}); err != nil {
		return fmt.Errorf("resume session %q: %w", session, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish(Event{Kind: EventResumed, Ask: Ask{Session: session}})
	return nil
}

// settleStreak counts an end: an approval clears the session's streak, a denial
// or a time-out of a visible ask adds to it, and enough of them pause the
// session. The caller holds the turn.
func (b *Broker) settleStreak(ctx context.Context, ended Ask) {
	b.mu.Lock()
	s := b.streaks[ended.Session]
	b.mu.Unlock()
	s.Session = ended.Session
	switch {
	case ended.State == Approved && s.Refusals > 0 && s.PausedAt.IsZero():
		s.Refusals = 0
	case refused(ended):
		s.Refusals++
	default:
		return
	}
	pausing := s.PausedAt.IsZero() && s.Refusals >= b.cfg.PauseAfter
	if pausing {
		s.PausedAt = b.cfg.Now()
	}
	if err := b.saveStreak(ctx, s); err != nil {
		// The pause holds in memory; only a restart would forget it.
		b.cfg.Log.Error("streak not stored", "session", s.Session, "error", err)
		b.keepStreak(s)
	}
	if pausing { // what waits goes on waiting: no call is dropped unseen
		b.mu.Lock()
		defer b.mu.Unlock()
		b.publish(Event{Kind: EventPaused, Ask: Ask{Session: s.Session}})
	}
}

// refused reports whether a person denied the ask or let it run out. Denials of several
// asks at once are one.
func refused(a Ask) bool {
	return a.State == Denied && a.Cause == CauseAnswered && a.Answer.Together <= 1 ||
		a.State == TimedOut && !a.ShownAt.IsZero()
}

// announceStop denies the session's waiting asks, then publishes the pause.
func (b *Broker) announceStop(ctx context.Context, session string) {
	b.endAll(ctx, Denied, CauseStopped, func(a Ask) bool { return a.Session == session })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish(Event{Kind: EventPaused, Ask: Ask{Session: session}})
}

func (b *Broker) saveStreak(ctx context.Context, s Streak) error {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	if err := b.cfg.Store.SaveStreak(ctx, s); err != nil {
		return err
	}
	b.keepStreak(s)
	return nil
}

func (b *Broker) keepStreak(s Streak) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.Refusals == 0 && s.PausedAt.IsZero() {
		delete(b.streaks, s.Session)
		return
	}
	s.By = ""
	b.streaks[s.Session] = s
}
