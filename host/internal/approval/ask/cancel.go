package ask

import (
	"context"

	"github.com/callgate/callgate/engine"
)

// Interrupt cancels the waiting asks of the session, as when its user sent something new. It
// returns how many asks it ended.
func (b *Broker) Interrupt(ctx context.Context, session string) (int, error) {
	return b.cancel(ctx, CauseInterrupt, func(a Ask) bool { return a.Session == session })
}

// ExitFork cancels the waiting asks of the session's interactive forks, and leaves the main
// conversation's asks alone: cancelling those too was a fault of ollim-bot's first version.
func (b *Broker) ExitFork(ctx context.Context, session string) (int, error) {
	return b.cancel(ctx, CauseForkExit, func(a Ask) bool {
		return a.Session == session && a.Kind == engine.InteractiveFork
	})
}

// Clear cancels the waiting asks of the session. The Gate drops the session's grants; a pause
// stays, only an approver ends it.
func (b *Broker) Clear(ctx context.Context, session string) (int, error) {
	return b.cancel(ctx, CauseClear, func(a Ask) bool { return a.Session == session })
}

func (b *Broker) cancel(ctx context.Context, cause Cause, match func(Ask) bool) (int, error) {
	if err := b.acquire(ctx); err != nil {
		return 0, err
	}
	defer b.release()
	return b.endAll(ctx, Cancelled, cause, match), nil
}

// endAll ends the matching asks, and only then shows their successors. The caller holds the
// turn.
func (b *Broker) endAll(ctx context.Context, state State, cause Cause, match func(Ask) bool) int {
	lanes := map[lane]bool{}
	chosen := b.choose(match)
	for _, e := range chosen {
		b.forceEnd(ctx, e, state, cause)
		lanes[laneOf(e.ask)] = true
	}
	for l := range lanes {
		b.advance(ctx, l)
	}
	return len(chosen)
}

func (b *Broker) choose(match func(Ask) bool) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var chosen []*entry
	for _, e := range b.waiting.all {
		if match(e.ask) {
			chosen = append(chosen, e)
		}
	}
	return chosen
}
