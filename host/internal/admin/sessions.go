package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Sessions lists the sessions chosen by f.
func (ad *Admin) Sessions(ctx context.Context, f store.SessionFilter) ([]store.Session, error) {
	return ad.c.Store.Sessions(ctx, f)
}

// Session returns one session with its remembered calls, the oldest first. store.ErrNotFound for an
// unknown one.
func (ad *Admin) Session(ctx context.Context, id string) (store.Session, []store.Call, error) {
	known, err := ad.c.Store.Session(ctx, id)
	if err != nil {
		return store.Session{}, nil, err
	}
	calls, err := ad.c.Store.Calls(ctx, id)
	return known, calls, err
}

// SetMode gives a session a mode of its own, in the name of by; nil gives it
// back to the agent's. It holds from the next call on.
func (ad *Admin) SetMode(ctx context.Context, session string, mode *engine.Mode, by string) error {
	return ad.c.Store.SetMode(ctx, session, mode, by)
}

// ErrForkNarrows refuses a mode of forks less strict than the session's, where the session's token
// only narrows: it could call any of its calls a fork's.
var ErrForkNarrows = errors.New("what a check token says of its calls, that they are a fork's as well, only narrows: give the client a token of kind integrator")

// SetForkMode gives a session's interactive forks a mode of their own, in the name
// of by; nil gives them the session's again. It holds from the next call on until
// ExitFork or ClearSession. ErrForkNarrows when it could not hold. Source:
// docs/seeds.md, "`/permissions` Slash Command".
func (ad *Admin) SetForkMode(ctx context.Context, session string, mode *engine.Mode, by string) error {
	known, err := ad.c.Store.Session(ctx, session)
	if err != nil {
		return err
	}
	if mode != nil && narrowsOnly(known) {
		if sessions := ad.sessionMode(known); engine.Stricter(sessions, *mode) != *mode {
			return fmt.Errorf("session %q: mode %s for its forks: %w", session, *mode, ErrForkNarrows)
		}
	}
	return ad.c.Store.SetForkMode(ctx, session, mode, by)
}

// sessionMode is the mode of a session, as far as the operator settles it.
func (ad *Admin) sessionMode(s store.Session) engine.Mode {
	if s.Mode != nil {
		return *s.Mode
	}
	return ad.c.Settings().Agent(s.Agent).Mode
}

// checkTokens begins the names of narrowing tokens.
const checkTokens = "check:"

func narrowsOnly(s store.Session) bool { return strings.HasPrefix(s.Token, checkTokens) }

// Widens reports whether SetMode with this mode would leave the session less strict than it is now;
// engine.Stricter orders the modes. A change to trusted always counts, because only trusted may
// lift disallowed_tools.
func (ad *Admin) Widens(ctx context.Context, session string, mode *engine.Mode) (bool, error) {
	known, err := ad.c.Store.Session(ctx, session)
	if err != nil {
		return false, err
	}
	agents := ad.c.Settings().Agent(known.Agent).Mode
	now, next := agents, agents
	if known.Mode != nil {
		now = *known.Mode
	}
	if mode != nil {
		next = *mode
	}
	if mode == nil && known.Mode != nil && !strings.HasPrefix(known.Token, checkTokens) {
		return true, nil // a trusted caller names the mode again
	}
	return widens(now, next), nil
}

func widens(now, next engine.Mode) bool {
	strict := engine.Stricter(now, next) == next && engine.Stricter(next, now) == next
	return next != now && (next == engine.Trusted || !strict)
}

// WidensFork is Widens for SetForkMode.
func (ad *Admin) WidensFork(ctx context.Context, session string, mode *engine.Mode) (bool, error) {
	known, err := ad.c.Store.Session(ctx, session)
	if err != nil {
		return false, err
	}
	now, next := ad.sessionMode(known), ad.sessionMode(known)
	if known.ForkMode != nil {
		now = *known.ForkMode
	}
	if mode != nil {
		next = *mode
	}
	return widens(now, next), nil
}

// freesForks reports whether clearing a session would give its interactive forks a less strict
// mode: the agent's in place of their own.
func (ad *Admin) freesForks(ctx context.Context, session string) (bool, error) {
	known, err := ad.c.Store.Session(ctx, session)
	if err != nil || known.ForkMode == nil {
		return false, err
	}
	return widens(*known.ForkMode, ad.c.Settings().Agent(known.Agent).Mode), nil
}

// InterruptSession cancels a session's waiting asks, in the name of by, and returns their number.
// Grants stay.
func (ad *Admin) InterruptSession(ctx context.Context, session, by string) (int, error) {
	return ad.cancel(ctx, session, by, store.EventSessionInterrupted, ad.c.Asks.Interrupt)
}

// ExitFork cancels the waiting asks of a session's interactive forks and ends their mode, in the
// name of by, and returns the number of asks; the main conversation's asks and the grants stay,
// those given in a fork as well.
func (ad *Admin) ExitFork(ctx context.Context, session, by string) (int, error) {
	if _, err := ad.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	// The mode first: a fork's call made meanwhile must not have it.
	ctx = context.WithoutCancel(ctx)
	modeErr := ad.c.Store.EndForks(ctx, session, by, "the forks have ended")
	n, err := ad.c.Asks.ExitFork(ctx, session)
	return n, errors.Join(modeErr, err)
}

// cancel has asks of a session cancelled and records who did it.
func (ad *Admin) cancel(ctx context.Context, session, by string, event store.Event, end func(context.Context, string) (int, error)) (int, error) {
	if _, err := ad.c.Store.Session(ctx, session); err != nil {
		return 0, err
	}
	n, err := end(ctx, session)
	if err != nil {
		return n, err
	}
	return n, ad.c.Store.NoteSession(context.WithoutCancel(ctx), session, event, by, fmt.Sprintf("%d asks cancelled", n))
}

// ClearSession cancels a session's waiting asks and drops its grants and its own modes, in the name
// of by.
func (ad *Admin) ClearSession(ctx context.Context, session, by string) (wire.ClearResult, error) {
	if _, err := ad.c.Store.Session(ctx, session); err != nil {
		return wire.ClearResult{}, err
	}
	asks, err := ad.c.Asks.Clear(ctx, session)
	if err != nil {
		return wire.ClearResult{Asks: asks}, fmt.Errorf("cancel the waiting asks: %w", err)
	}
	grants, err := ad.c.Store.ClearSession(ctx, session, by)
	if err != nil {
		return wire.ClearResult{Asks: asks}, fmt.Errorf("drop the grants: %w", err)
	}
	return wire.ClearResult{Asks: asks, Grants: grants}, nil
}

// ResumeSession lets a session ask again, in the name of by, after a pause for denials or time-outs
// in a row.
func (ad *Admin) ResumeSession(ctx context.Context, session, by string) error {
	return ad.c.Asks.Resume(ctx, session, by)
}
