package admin

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// These changes widen, and so need consent (Change): a mode less strict than the present one; a
// profile with possibly more permissions; clearing a session with a restricting mode or rules of
// its own. Tightening needs no consent.

// ChangeMode is SetMode in the name of c: a less strict mode than the present one needs c's consent
// to this mode. Without the right, the error is authority.ErrNotEntitled.
func (ad *Admin) ChangeMode(ctx context.Context, c Change, session string, mode *engine.Mode) error {
	widens, err := ad.Widens(ctx, session, mode)
	if err == nil && widens {
		err = ad.agreedMode(ctx, c, session, mode, false)
	}
	if err != nil {
		return err
	}
	return ad.SetMode(ctx, session, mode, c.name())
}

// ChangeForkMode is SetForkMode in the name of c, likewise.
func (ad *Admin) ChangeForkMode(ctx context.Context, c Change, session string, mode *engine.Mode) error {
	widens, err := ad.WidensFork(ctx, session, mode)
	if err == nil && widens {
		err = ad.agreedMode(ctx, c, session, mode, true)
	}
	if err != nil {
		return err
	}
	return ad.SetForkMode(ctx, session, mode, c.name())
}

// agreedMode refuses a widening mode without valid consent. An empty mode is the underlying one:
// the agent's or, for forks, the session's.
func (ad *Admin) agreedMode(ctx context.Context, c Change, session string, mode *engine.Mode, fork bool) error {
	if c.Confirm != nil {
		return c.Confirm()
	}
	if mode == nil {
		known, err := ad.c.Store.Session(ctx, session)
		if err != nil {
			return err
		}
		own := ad.c.Settings().Agent(known.Agent).Mode
		if fork {
			own = ad.sessionMode(known)
		}
		mode = &own
	}
	if err := ad.c.Authority.MayGrant(ctx, c.Person, approvers.ModePrefix+mode.String()); err != nil {
		return fmt.Errorf("%w: %w", authority.ErrNotEntitled, err)
	}
	return nil
}

// ChangeProfile is GiveProfile or, with an empty name, ResetProfile in the name of c: a profile
// with possibly more permissions needs c's consent to this profile. For an agent's return to the
// configuration's own lists an administrator must consent where there is no permission_grants, and
// otherwise it is refused.
func (ad *Admin) ChangeProfile(ctx context.Context, c Change, agent, name string) (wire.GivenProfile, error) {
	tightens, err := ad.ProfileTightens(ctx, agent, name)
	if err == nil && !tightens {
		configured, _ := ad.c.Settings().ProfileChoices(agent)
		err = ad.agreedProfile(ctx, c, cmp.Or(name, configured))
	}
	if err != nil {
		return wire.GivenProfile{}, err
	}
	if name == "" {
		return wire.GivenProfile{}, ad.ResetProfile(ctx, agent, c.name())
	}
	return ad.GiveProfile(ctx, agent, name, c.name(), "")
}

func (ad *Admin) agreedProfile(ctx context.Context, c Change, name string) error {
	if c.Confirm != nil {
		return c.Confirm()
	}
	if err := ad.c.Authority.MayGrant(ctx, c.Person, name); err != nil {
		return fmt.Errorf("%w: %w", authority.ErrNotEntitled, err)
	}
	return nil
}

// Clear is ClearSession in the name of c. Removing the session's own mode, or its deny or ask
// rules, needs c's consent, as their separate removal does.
func (ad *Admin) Clear(ctx context.Context, c Change, session string) (wire.ClearResult, error) {
	p, err := ad.placeOf(ctx, Where{Scope: engine.Session, Key: session})
	if err != nil {
		return wire.ClearResult{}, err
	}
	holds := slices.DeleteFunc(slices.Clone(p.stored), func(r engine.Rule) bool { return r.Behavior == engine.Allow })
	if err := ad.agreed(ctx, c, p, store.Change{Session: session, SetMode: true}, holds); err != nil {
		return wire.ClearResult{}, err
	}
	return ad.ClearSession(ctx, session, c.name())
}

// name is the person behind a change.
func (c Change) name() string { return cmp.Or(c.By, c.Person.Name) }
