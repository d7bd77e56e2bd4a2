package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// What widens, and so takes somebody's word (Change): a mode that is not as strict as
// the one in force; a profile that may let the agent do more; clearing a session whose
// own mode, or rules, hold it down. What tightens takes nobody's.

// ChangeMode is SetMode in the name of c: a mode that asks less than the one in force
// takes c's word, the grant of that mode. ErrNotEntitled when c may not.
func (g *Gate) ChangeMode(ctx context.Context, c Change, session string, mode *engine.Mode) error {
	widens, err := g.Widens(ctx, session, mode)
	if err == nil && widens {
		err = g.agreedMode(ctx, c, session, mode, false)
	}
	if err != nil {
		return err
	}
	return g.SetMode(ctx, session, mode, c.name())
}

// ChangeForkMode is SetForkMode in the name of c, likewise.
func (g *Gate) ChangeForkMode(ctx context.Context, c Change, session string, mode *engine.Mode) error {
	widens, err := g.WidensFork(ctx, session, mode)
	if err == nil && widens {
		err = g.agreedMode(ctx, c, session, mode, true)
	}
	if err != nil {
		return err
	}
	return g.SetForkMode(ctx, session, mode, c.name())
}

// agreedMode refuses a mode that widens and to which nobody agrees whose word counts.
// No mode is the one that is in force then: the agent's or, for forks, the session's.
func (g *Gate) agreedMode(ctx context.Context, c Change, session string, mode *engine.Mode, fork bool) error {
	if c.Confirm != nil {
		return c.Confirm()
	}
	if mode == nil {
		known, err := g.c.Store.Session(ctx, session)
		if err != nil {
			return err
		}
		own := g.c.Settings().Agent(known.Agent).Mode
		if fork {
			own = g.sessionMode(known)
		}
		mode = &own
	}
	if err := g.MayGrant(ctx, c.Person, people.ModePrefix+mode.String()); err != nil {
		return fmt.Errorf("%w: %w", ErrNotEntitled, err)
	}
	return nil
}

// ChangeProfile is GiveProfile or, with an empty name, ResetProfile in the name of c: a
// profile that may let the agent do more takes c's word, the grant of that profile. An
// agent that goes back to the configuration's own lists takes an administrator's where
// there is no permission_grants, and nobody's else.
func (g *Gate) ChangeProfile(ctx context.Context, c Change, agent, name string) (GivenProfile, error) {
	tightens, err := g.ProfileTightens(ctx, agent, name)
	if err == nil && !tightens {
		err = g.agreedProfile(ctx, c, cmp.Or(name, g.choice(agent)))
	}
	if err != nil {
		return GivenProfile{}, err
	}
	if name == "" {
		return GivenProfile{}, g.ResetProfile(ctx, agent, c.name())
	}
	return g.GiveProfile(ctx, agent, name, c.name(), "")
}

func (g *Gate) agreedProfile(ctx context.Context, c Change, name string) error {
	if c.Confirm != nil {
		return c.Confirm()
	}
	if err := g.MayGrant(ctx, c.Person, name); err != nil {
		return fmt.Errorf("%w: %w", ErrNotEntitled, err)
	}
	return nil
}

// Clear is ClearSession in the name of c: where the session's own mode, or rules of it
// that deny or ask, go with it, that takes c's word, as their removal does.
func (g *Gate) Clear(ctx context.Context, c Change, session string) (Cleared, error) {
	p, err := g.placeOf(ctx, Where{Scope: engine.Session, Key: session})
	if err != nil {
		return Cleared{}, err
	}
	holds := slices.DeleteFunc(slices.Clone(p.stored), func(r engine.Rule) bool { return r.Behavior == engine.Allow })
	if err := g.agreed(ctx, c, p, store.Change{Session: session, SetMode: true}, holds); err != nil {
		return Cleared{}, err
	}
	return g.ClearSession(ctx, session, c.name())
}

// name is in whose name c changes something.
func (c Change) name() string { return cmp.Or(c.By, c.Person.Name) }

// Refused writes the row of somebody who wanted what they may not have at all, such as
// a command of people; why is a sentence for people.
func (g *Gate) Refused(ctx context.Context, p people.Person, why string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	_, err := g.c.Store.Append(ctx, store.Row{
		Time: g.c.Now(), Event: store.EventGrantRefused, User: p.Name, DecidedBy: cmp.Or(p.Name, "nobody"), Detail: why, Code: codeNotGranted,
	})
	return err
}
