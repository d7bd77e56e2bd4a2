package ask

import (
	"context"
	"errors"
	"fmt"
)

// wait returns when the ask has ended or the caller has.
func (b *Broker) wait(ctx context.Context, e *entry) (Outcome, error) {
	select {
	case <-e.done:
	case <-ctx.Done():
		return b.leave(ctx, e)
	case <-b.closed:
		return refusal(&e.ask, CauseError), ErrClosed
	}
	if ctx.Err() != nil && e.ask.State == Approved {
		// No caller is there to take the answer: the approval stays unused for the client's
		// return. Any other end is returned as it is.
		return refusal(&e.ask, CauseCaller), nil
	}
	return b.take(ctx, e)
}

// take hands the ended ask to a waiter. The waiters of one ask are one call, so
// they share the single use of its approval.
func (b *Broker) take(ctx context.Context, e *entry) (Outcome, error) {
	final := e.ask
	if final.State != Approved {
		return OutcomeOf(&final), nil
	}
	if final.Answer != nil && final.Answer.Edited && final.Answer.Input == nil {
		return refusal(&final, CauseError), errors.New("the changed input of the approval is not here") // it approved another call
	}
	e.useOnce.Do(func() {
		ctx, cancel := storeContext(ctx)
		defer cancel()
		e.usedAt = b.cfg.Now()
		ok, err := b.cfg.Store.UseAsk(ctx, final.ID, e.usedAt)
		if err == nil && !ok {
			err = errors.New("it was used before")
		}
		e.useErr = err
	})
	if e.useErr != nil {
		return refusal(&final, CauseError), fmt.Errorf("use the approval of ask %s: %w", final.ID, e.useErr)
	}
	final.UsedAt = e.usedAt
	return OutcomeOf(&final), nil
}

// leave removes a waiter after its context ended. The last one ends the ask: as timed out after
// its own deadline, else as cancelled.
func (b *Broker) leave(ctx context.Context, e *entry) (Outcome, error) {
	state, cause := Cancelled, CauseCaller
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		state, cause = TimedOut, CauseTimeout
	}
	if err := b.acquire(context.WithoutCancel(ctx)); err != nil {
		return refusal(&e.ask, CauseError), err
	}
	defer b.release()
	if b.leaveCount(e) {
		if b.forceEnd(ctx, e, state, cause) {
			b.settleStreak(ctx, e.ask)
		}
		b.advance(ctx, laneOf(e.ask))
	}
	if e.ask.State == state {
		return OutcomeOf(&e.ask), nil
	}
	return refusal(&e.ask, cause), nil
}

// leaveCount removes one waiter and reports whether it was the last of a waiting ask.
func (b *Broker) leaveCount(e *entry) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.waiters--
	return e.waiters == 0 && e.ask.State.Waiting()
}
