package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/store"
)

// Sessions lists the sessions that f chooses.
func (g *Gate) Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error) {
	return g.c.Store.Sessions(ctx, f)
}

// Session returns one session with the calls that are remembered of it, the
// oldest first. store.ErrNotFound when nobody opened it.
func (g *Gate) Session(ctx context.Context, id string) (store.Session, []store.Call, error) {
	known, err := g.c.Store.Session(ctx, id)
	if err != nil {
		return store.Session{}, nil, err
	}
	calls, err := g.c.Store.Calls(ctx, id)
	return known, calls, err
}

// SetMode gives a session a mode of its own, in the name of by; nil gives it
// back to the agent's. It holds from the next call on.
func (g *Gate) SetMode(ctx context.Context, session string, mode *engine.Mode, by string) error {
	return g.c.Store.SetMode(ctx, session, mode, by)
}

// ErrForkNarrows refuses a mode of forks that asks less than the session's, where
// the session's token only narrows: anything else that it puts could be called a
// fork's.
var ErrForkNarrows = errors.New("what a check token says of its calls, that they are a fork's as well, only narrows: give the client a token of kind integrator")

// SetForkMode gives a session's interactive forks a mode of their own, in the name
// of by; nil gives them the session's again. It holds from the next call on until
// ExitFork or ClearSession. ErrForkNarrows when it could not hold. Source: the
// Discord seed, "fork-scoped, dies with fork".
func (g *Gate) SetForkMode(ctx context.Context, session string, mode *engine.Mode, by string) error {
	known, err := g.c.Store.Session(ctx, session)
	if err != nil {
		return err
	}
	if mode != nil && narrowsOnly(known) {
		if sessions := g.sessionMode(known); engine.Stricter(sessions, *mode) != *mode {
			return fmt.Errorf("session %q: mode %s for its forks: %w", session, *mode, ErrForkNarrows)
		}
	}
	return g.c.Store.SetForkMode(ctx, session, mode, by)
}

// sessionMode is the mode of a session, as far as the operator settles it.
func (g *Gate) sessionMode(s store.Session) engine.Mode {
	if s.Mode != nil {
		return *s.Mode
	}
	return g.c.Settings().Agent(s.Agent).Mode
}

// checkTokens begins the names of the tokens whose word only narrows.
const checkTokens = "check:"

func narrowsOnly(s store.Session) bool { return strings.HasPrefix(s.Token, checkTokens) }

// Widens reports whether SetMode with this mode would leave the session less
// strict than it is now; engine.Stricter orders the modes. Into trusted counts
// whatever it was before, for that alone may lift disallowed_tools.
func (g *Gate) Widens(ctx context.Context, session string, mode *engine.Mode) (bool, error) {
	known, err := g.c.Store.Session(ctx, session)
	if err != nil {
		return false, err
	}
	agents := g.c.Settings().Agent(known.Agent).Mode
	now, next := agents, agents
	if known.Mode != nil {
		now = *known.Mode
	}
	if mode != nil {
		next = *mode
	}
	if mode == nil && known.Mode != nil && !strings.HasPrefix(known.Token, checkTokens) {
		return true, nil // a caller that is believed names the mode again
	}
	return widens(now, next), nil
}

func widens(now, next engine.Mode) bool {
	strict := engine.Stricter(now, next) == next && engine.Stricter(next, now) == next
	return next != now && (next == engine.Trusted || !strict)
}

// WidensFork is Widens for SetForkMode.
func (g *Gate) WidensFork(ctx context.Context, session string, mode *engine.Mode) (bool, error) {
	known, err := g.c.Store.Session(ctx, session)
	if err != nil {
		return false, err
	}
	now, next := g.sessionMode(known), g.sessionMode(known)
	if known.ForkMode != nil {
		now = *known.ForkMode
	}
	if mode != nil {
		next = *mode
	}
	return widens(now, next), nil
}

// freesForks reports whether a session's interactive forks are held to a mode that asks
// more than the agent's, which they have once the session is cleared.
func (g *Gate) freesForks(ctx context.Context, session string) (bool, error) {
	known, err := g.c.Store.Session(ctx, session)
	if err != nil || known.ForkMode == nil {
		return false, err
	}
	return widens(*known.ForkMode, g.c.Settings().Agent(known.Agent).Mode), nil
}

// InterruptSession cancels what waits in a session, in the name of by, and
// returns how many asks that were. Grants stay.
func (g *Gate) InterruptSession(ctx context.Context, session, by string) (int, error) {
	return g.cancel(ctx, session, by, store.EventSessionInterrupted, g.c.Asks.Interrupt)
}

// ExitFork cancels what a session's interactive forks wait for and ends their mode,
// in the name of by, and returns how many asks that were; the main conversation's
// asks and the grants stay, those that were given in a fork as well.
func (g *Gate) ExitFork(ctx context.Context, session, by string) (int, error) {
	if _, err := g.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	// The mode first: what a fork puts meanwhile has it no more.
	ctx = context.WithoutCancel(ctx)
	modeErr := g.c.Store.EndForks(ctx, session, by, "the forks have ended")
	n, err := g.c.Asks.ExitFork(ctx, session)
	return n, errors.Join(modeErr, err)
}

// cancel has asks of a session cancelled and records who did it.
func (g *Gate) cancel(ctx context.Context, session, by string, event store.Event, end func(context.Context, string) (int, error)) (int, error) {
	if _, err := g.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	n, err := end(ctx, session)
	if err != nil {
		return n, err
	}
	return n, g.c.Store.NoteSession(context.WithoutCancel(ctx), session, event, by, fmt.Sprintf("%d asks cancelled", n))
}

// Cleared tells what ClearSession ended.
type Cleared struct {
	Asks   int `json:"asks"`
	Grants int `json:"grants"`
}

// ClearSession cancels what waits in a session and drops its grants and its own
// modes, in the name of by.
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

// ResumeSession lets a session ask again, in the name of by, that was paused
// after denials or time-outs in a row.
func (g *Gate) ResumeSession(ctx context.Context, session, by string) error {
	return g.c.Asks.Resume(ctx, session, by)
}
