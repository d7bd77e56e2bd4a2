package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/wire"
)

// SourceCommand is the source of rules stored by a text command.
const SourceCommand = "command"

// maxKey bounds the key of a scope, in bytes, like a directory's.
const maxKey = 4096

// Where selects the lists to change: those of Scope and Key, or, with an empty Scope, of the
// project at CWD, else of Agent, else of everybody.
type Where struct {
	Scope engine.Scope
	Key   string
	CWD   string
	Agent string
}

// Change names the person changing the lists, and the consent for a widening change.
type Change struct {
	// By is the name in the audit.
	By string
	// Confirm, when it is not nil, is called once before any widening, and its error ends the
	// change: a person at a terminal. Without it Person's roles must grant the change:
	// approvers.GlobalRules for rules, "mode:NAME" for modes. The persons in ask_approvers for an
	// agent or session alone may also change its rules.
	Confirm func() error
	Person  approvers.Person
	// Bound requires, besides Confirm's consent, that Person may alone approve the calls allowed by
	// the rules, as with an approver's token.
	Bound bool
}

// Command carries out one text command of a person (package command) on the stored rules of a
// place; all its changes are stored as a whole, with audit rows. An unknown text is an answer, not
// an error. authority.ErrBadRequest is an impossible place, authority.ErrNotEntitled a change
// Person may not make.
func (ad *Admin) Command(ctx context.Context, c Change, where Where, text string) (wire.CommandResult, error) {
	p, err := ad.placeOf(ctx, where)
	if err != nil {
		return wire.CommandResult{}, err
	}
	t, done := ad.c.Rules.Tester()
	defer done()
	k := p.known(Known(ctx, t))
	before := p.state
	a := command.Run(before, text, k)
	out := wire.CommandResult{OK: a.OK, Message: a.Message, Notes: a.Notes, Lists: wire.Lists(a.State), Mode: a.Mode, Scope: p.scope, ScopeKey: p.key}
	if !a.OK {
		return out, nil
	}
	change, err := p.changes(before, a.State)
	if err != nil {
		out.OK, out.Message, out.Lists, out.Mode = false, err.Error(), wire.Lists(before), before.Mode
		return out, nil
	}
	for _, r := range change.Add {
		if r.Content != nil && mask.LooksSecret(*r.Content) {
			out.Notes = append(out.Notes, secretNote)
		}
	}
	out.Added, out.Removed, err = ad.apply(ctx, c, p, change)
	return out, err
}

// place is the place of lists, with the settings in force there.
type place struct {
	scope engine.Scope
	key   string
	state command.State
	// stored are the rules of the lists, others those in force beside them.
	stored []engine.Rule
	others []command.Other
}

// known is the knowledge for the place's commands: rules of its lists are tried where they hold,
// and the others there count.
func (p place) known(k command.Known) command.Known {
	overlap := k.Overlap
	k.Others = slices.Clone(p.others)
	k.Overlap = func(a, b engine.Rule) (string, bool) {
		if a.Scope == "" {
			a.Scope, a.ScopeKey = p.scope, p.key
		}
		if b.Scope == "" {
			b.Scope, b.ScopeKey = p.scope, p.key
		}
		return overlap(a, b)
	}
	return k
}

// placeOf finds a place and reads the settings in force there.
func (ad *Admin) placeOf(ctx context.Context, w Where) (place, error) {
	p := place{scope: w.Scope, key: w.Key}
	if p.scope == "" {
		if err := ad.nearest(ctx, w, &p); err != nil {
			return p, err
		}
	}
	agent, session, project, err := ad.standsFor(ctx, &p)
	if err != nil {
		return p, err
	}
	settings := ad.c.Settings().Agent(agent)
	if p.state.Mode == "" {
		p.state.Mode = settings.Mode.String()
	}
	p.state.Profile = settings.Profile.Name()
	all, err := ad.c.Store.RulesFor(ctx, agent, session, project, nil)
	if err != nil {
		return p, err
	}
	own, err := ad.c.Store.Rules(ctx, store.RuleFilter{Scope: p.scope, Key: p.key})
	if err != nil {
		return p, err
	}
	p.stored = own
	for _, r := range own {
		list := p.list(&p.state, r.Behavior)
		*list = append(*list, r.String())
	}
	for _, r := range slices.Concat(settings.Rules.Live(nil, ad.c.Now()), all) {
		if r.Source != config.Source && r.Scope == p.scope && r.ScopeKey == p.key {
			continue
		}
		p.others = append(p.others, command.Other{Rule: r, From: from(r)})
	}
	return p, nil
}

// from says where a rule is written.
func from(r engine.Rule) string {
	switch {
	case r.Source == config.Source:
		return "the configuration"
	case r.Scope == engine.Global:
		return "every agent"
	}
	return "the " + string(r.Scope) + " " + r.ScopeKey
}

// nearest fills an unnamed place.
func (ad *Admin) nearest(ctx context.Context, w Where, p *place) error {
	p.scope, p.key = engine.Global, ""
	if w.Agent != "" {
		p.scope, p.key = engine.Agent, w.Agent
	}
	if w.CWD == "" {
		return nil
	}
	if !filepath.IsAbs(w.CWD) {
		return fmt.Errorf("%w: cwd: %q is not an absolute path", authority.ErrBadRequest, w.CWD)
	}
	at, err := ad.c.Targets.Project(ctx, w.CWD, nil)
	if err != nil {
		return fmt.Errorf("%w: cwd: %w", authority.ErrBadRequest, err)
	}
	if name := at.Name(); name != "" {
		p.scope, p.key = engine.Project, name
	}
	return nil
}

// ProjectOf is the name of a session's project. A root that is gone keeps its own.
func (ad *Admin) ProjectOf(ctx context.Context, root string) (string, error) {
	at, err := ad.c.Targets.Project(ctx, root, nil)
	if err != nil || len(at.Roots) == 0 || at.Roots[0] != root {
		return root, err
	}
	return at.Name(), nil
}

// standsFor checks a place, and returns whose rules hold there.
func (ad *Admin) standsFor(ctx context.Context, p *place) (agent, session, project string, err error) {
	if _, err := engine.ParseScope(string(p.scope)); err != nil {
		return "", "", "", fmt.Errorf("%w: scope: %w", authority.ErrBadRequest, err)
	}
	if (p.scope == engine.Global) != (p.key == "") || len(p.key) > maxKey {
		return "", "", "", fmt.Errorf("%w: scope_key: every scope but global needs a name", authority.ErrBadRequest)
	}
	switch p.scope {
	case engine.Agent:
		return p.key, "", "", nil
	case engine.Project:
		if !filepath.IsAbs(p.key) {
			return "", "", "", fmt.Errorf("%w: project: %q is not an absolute path", authority.ErrBadRequest, p.key)
		}
		resolved, err := ad.c.Targets.Directories(ctx, []string{p.key})
		if err != nil || len(resolved) != 1 {
			return "", "", "", fmt.Errorf("%w: project: %q cannot be found: %w", authority.ErrBadRequest, p.key, err)
		}
		p.key = resolved[0]
		return "", "", p.key, nil
	case engine.Session:
		known, err := ad.c.Store.Session(ctx, p.key)
		if err != nil {
			return "", "", "", err
		}
		if known.Mode != nil {
			p.state.Mode = known.Mode.String()
		}
		project, err = ad.ProjectOf(ctx, known.ProjectRoot)
		return known.Agent, known.ID, project, err
	}
	return "", "", "", nil
}

// list is the list of a behavior.
func (p place) list(s *command.State, b engine.Behavior) *[]string {
	switch b {
	case engine.Allow:
		return &s.Allow
	case engine.Ask:
		return &s.Ask
	}
	return &s.Deny
}

// changes is the difference between two states as a change of the store.
func (p place) changes(before, after command.State) (store.Change, error) {
	var c store.Change
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		was, is := *p.list(&before, b), *p.list(&after, b)
		for _, r := range p.stored {
			if r.Behavior == b && !slices.Contains(is, r.String()) {
				c.Remove = append(c.Remove, r.ID)
			}
		}
		for _, text := range is {
			if slices.Contains(was, text) {
				continue
			}
			r, err := engine.ParseRule(text)
			if err != nil {
				return c, err
			}
			r.Behavior, r.Source, r.Scope, r.ScopeKey = b, SourceCommand, p.scope, p.key
			c.Add = append(c.Add, r)
		}
	}
	mode, err := engine.ParseMode(after.Mode)
	if now, nowErr := engine.ParseMode(before.Mode); err != nil || nowErr == nil && now == mode {
		return c, err
	}
	if p.scope != engine.Session {
		return c, errors.New("a mode is changed for one session: name it (callgate /permission MODE --session ID), or set mode in the configuration")
	}
	c.Session, c.Mode, c.SetMode = p.key, &mode, true
	return c, nil
}

// apply stores a change of a place when those agree whom it takes.
func (ad *Admin) apply(ctx context.Context, c Change, p place, change store.Change) (added, removed []engine.Rule, err error) {
	if len(change.Add) == 0 && len(change.Remove) == 0 && !change.SetMode {
		return nil, nil, nil
	}
	for _, r := range p.stored {
		if slices.Contains(change.Remove, r.ID) {
			removed = append(removed, r)
		}
	}
	if err := ad.agreed(ctx, c, p, change, removed); err != nil {
		return nil, nil, err
	}
	change.By = cmp.Or(c.By, c.Person.Name)
	added, err = ad.c.Store.ChangeRules(ctx, change)
	if errors.Is(err, store.ErrBadRule) {
		err = fmt.Errorf("%w: %w", ruletest.ErrBadRule, err)
	}
	return added, removed, err
}

// agreed refuses a widening change without valid consent.
func (ad *Admin) agreed(ctx context.Context, c Change, p place, change store.Change, removed []engine.Rule) error {
	rules := slices.ContainsFunc(change.Add, func(r engine.Rule) bool { return r.Behavior == engine.Allow }) ||
		slices.ContainsFunc(removed, func(r engine.Rule) bool { return r.Behavior != engine.Allow })
	mode := false
	if change.SetMode {
		var err error
		if mode, err = ad.Widens(ctx, p.key, change.Mode); err == nil && !mode && change.Mode == nil {
			mode, err = ad.freesForks(ctx, p.key)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case !rules && !mode:
		return nil
	case c.Confirm != nil:
		if c.Bound {
			if err := ad.c.Authority.MayStore(ctx, c.Person, change.Add, removed); err != nil {
				return err
			}
		}
		return c.Confirm()
	}
	if rules && !ad.c.Authority.MayApprove(ctx, c.Person, p.scope, p.key, slices.Concat(change.Add, removed)) {
		if err := ad.c.Authority.MayGrant(ctx, c.Person, approvers.GlobalRules); err != nil {
			return fmt.Errorf("%w: %w", authority.ErrNotEntitled, err)
		}
	}
	if !mode {
		return nil
	}
	return ad.agreedMode(ctx, c, p.key, change.Mode, false)
}

// CommandOn carries out a text command on lists kept elsewhere, as in the head of a chat's file,
// and stores nothing. place is their place.
func (ad *Admin) CommandOn(ctx context.Context, lists command.State, where Where, text string) (wire.CommandResult, error) {
	p, err := ad.placeOf(ctx, where)
	if err != nil {
		return wire.CommandResult{}, err
	}
	t, done := ad.c.Rules.Tester()
	defer done()
	k := p.known(Known(ctx, t))
	for _, r := range p.stored {
		k.Others = append(k.Others, command.Other{Rule: r, From: from(r)})
	}
	a := command.Run(lists, text, k)
	return wire.CommandResult{OK: a.OK, Message: a.Message, Notes: a.Notes, Lists: wire.Lists(a.State), Mode: a.Mode, Scope: p.scope, ScopeKey: p.key}, nil
}
