package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// Sessions lists the sessions that f chooses. Those that the broker paused after
// refusals in a row are marked.
func (g *Gate) Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error) {
	only, limit := f.Paused, f.Limit
	if only {
		f.Paused, f.Limit = false, 0 // the store knows no pauses
	}
	sessions, err := g.c.Store.Sessions(ctx, f)
	if err != nil {
		return nil, err
	}
	paused := map[string]ask.Streak{}
	for _, s := range g.c.Asks.Paused() {
		paused[s.Session] = s
	}
	for i := range sessions {
		if s, ok := paused[sessions[i].ID]; ok {
			sessions[i].Paused, sessions[i].PausedAt = fmt.Sprintf("%d refusals in a row", s.Refusals), s.PausedAt
		}
	}
	if !only {
		return sessions, nil
	}
	sessions = slices.DeleteFunc(sessions, func(s store.Session) bool { return s.Paused == "" })
	if limit > 0 && len(sessions) > limit {
		sessions = sessions[:limit]
	}
	return sessions, nil
}

// SetMode gives a session a mode of its own, in the name of by; nil gives it
// back to the agent's. It holds from the next call on.
func (g *Gate) SetMode(ctx context.Context, session string, mode *engine.Mode, by string) error {
	return g.c.Store.SetMode(ctx, session, mode, by)
}

// InterruptSession cancels what waits in a session and returns how many asks
// that were. Grants stay.
func (g *Gate) InterruptSession(ctx context.Context, session string) (int, error) {
	if _, err := g.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	return g.c.Asks.Interrupt(ctx, session)
}

// ExitFork cancels what a session's interactive forks wait for and returns how
// many asks that were; the main conversation's asks and the grants stay.
func (g *Gate) ExitFork(ctx context.Context, session string) (int, error) {
	if _, err := g.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	return g.c.Asks.ExitFork(ctx, session)
}

// Cleared tells what ClearSession ended.
type Cleared struct {
	Asks   int `json:"asks"`
	Grants int `json:"grants"`
}

// ClearSession cancels what waits in a session and drops its grants and its own
// mode, in the name of by.
func (g *Gate) ClearSession(ctx context.Context, session, by string) (Cleared, error) {
	if _, err := g.c.Store.Session(ctx, session); err != nil {
		return Cleared{}, err
	}
	asks, err := g.c.Asks.Clear(ctx, session)
	if err != nil {
		return Cleared{Asks: asks}, fmt.Errorf("cancel the waiting asks: %w", err)
	}
	grants, err := g.c.Store.ClearSession(ctx, session, by)
	if err != nil {
		return Cleared{Asks: asks}, fmt.Errorf("drop the grants: %w", err)
	}
	return Cleared{Asks: asks, Grants: grants}, nil
}

// ResumeSession lets a session ask again that was paused after denials or
// time-outs in a row.
func (g *Gate) ResumeSession(ctx context.Context, session string) error {
	return g.c.Asks.Resume(ctx, session)
}
