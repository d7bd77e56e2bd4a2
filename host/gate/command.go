package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/command"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// SourceCommand is the source of rules that a text command stored.
const SourceCommand = "command"

// Where says whose lists a change is about: those of Scope and Key, or, with an
// empty Scope, those of the project that CWD is in, else of Agent, else of everybody.
type Where struct {
	Scope engine.Scope
	Key   string
	CWD   string
	Agent string
}

// Change is in whose name the lists are changed, and who agrees when that widens
// what agents may do.
type Change struct {
	// By is the name in the audit.
	By string
	// Confirm, when it is not nil, is called once before anything is widened, and
	// its error ends the change: a person at a terminal. Without it Person's roles
	// have to grant what widens: people.GlobalRules for rules, "mode:NAME" for modes.
	// Rules for one agent or session may also be changed by those whom ask_approvers
	// names to answer for it alone.
	Confirm func() error
	Person  people.Person
	// Bound tells that, beside what Confirm says, Person has to be one who may approve
	// alone what the rules let through, as with an approver's token.
	Bound bool
}

// Commanded is what became of a text command.
type Commanded struct {
	// OK tells that it was understood; when it was not, nothing changed.
	OK      bool     `json:"ok"`
	Message string   `json:"message"`
	Notes   []string `json:"notes,omitempty"`
	// Lists are those of Scope and ScopeKey after it.
	Lists command.State `json:"lists"`
	// Mode is the mode that goes with them.
	Mode     string       `json:"mode"`
	Scope    engine.Scope `json:"scope"`
	ScopeKey string       `json:"scope_key,omitempty"`
	// Added and Removed are the rules that were stored and deleted.
	Added   []engine.Rule `json:"added,omitempty"`
	Removed []engine.Rule `json:"removed,omitempty"`
}

// Command carries out one text command of a person (package command) on the stored
// rules of a place; all that it changes is stored as a whole, with audit rows. A
// text that is not understood is an answer, not an error. ErrBadRequest is a place
// that cannot be, ErrNotEntitled a change that Person may not make.
func (g *Gate) Command(ctx context.Context, c Change, where Where, text string) (Commanded, error) {
	p, err := g.placeOf(ctx, where)
	if err != nil {
		return Commanded{}, err
	}
	t, done := g.trial()
	defer done()
	k := p.known(t.Known(ctx))
	before := p.state
	a := command.Run(before, text, k)
	out := Commanded{OK: a.OK, Message: a.Message, Notes: a.Notes, Lists: a.State, Mode: a.Mode, Scope: p.scope, ScopeKey: p.key}
	if !a.OK {
		return out, nil
	}
	change, err := p.changes(before, a.State)
	if err != nil {
		out.OK, out.Message, out.Lists, out.Mode = false, err.Error(), before, before.Mode
		return out, nil
	}
	for _, r := range change.Add {
		if r.Content != nil && looksSecret(*r.Content) {
			out.Notes = append(out.Notes, secretNote)
		}
	}
	out.Added, out.Removed, err = g.apply(ctx, c, p, change)
	return out, err
}

// place is where lists are, with what is in force there.
type place struct {
	scope engine.Scope
	key   string
	state command.State
	// stored are the rules of the lists, others those in force beside them.
	stored []engine.Rule
	others []command.Other
}

// known is what the place's commands are read against: rules of its lists are tried
// where they hold, and those beside them count.
func (p place) known(k command.Known) command.Known {
	meet := k.Meet
	k.Others = slices.Clone(p.others)
	k.Meet = func(a, b engine.Rule) (string, bool) {
		if a.Scope == "" {
			a.Scope, a.ScopeKey = p.scope, p.key
		}
		if b.Scope == "" {
			b.Scope, b.ScopeKey = p.scope, p.key
		}
		return meet(a, b)
	}
	return k
}

// placeOf finds a place and reads what is in force there.
func (g *Gate) placeOf(ctx context.Context, w Where) (place, error) {
	p := place{scope: w.Scope, key: w.Key}
	if p.scope == "" {
		if err := g.nearest(ctx, w, &p); err != nil {
			return p, err
		}
	}
	agent, session, project, err := g.standsFor(ctx, &p)
	if err != nil {
		return p, err
	}
	settings := g.c.Settings().Agent(agent)
	if p.state.Mode == "" {
		p.state.Mode = settings.Mode.String()
	}
	p.state.Profile = settings.Profile.Name()
	all, err := g.c.Store.RulesFor(ctx, agent, session, project, nil)
	if err != nil {
		return p, err
	}
	own, err := g.c.Store.Rules(ctx, store.RuleFilter{Scope: p.scope, Key: p.key})
	if err != nil {
		return p, err
	}
	p.stored = own
	for _, r := range own {
		list := p.list(&p.state, r.Behavior)
		*list = append(*list, r.String())
	}
	for _, r := range slices.Concat(g.live(settings.Rules.All()), all) {
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

// nearest fills a place that was not named.
func (g *Gate) nearest(ctx context.Context, w Where, p *place) error {
	p.scope, p.key = engine.Global, ""
	if w.Agent != "" {
		p.scope, p.key = engine.Agent, w.Agent
	}
	if w.CWD == "" {
		return nil
	}
	if !filepath.IsAbs(w.CWD) {
		return fmt.Errorf("%w: cwd: %q is not an absolute path", ErrBadRequest, w.CWD)
	}
	roots, err := g.c.Targets.ProjectRoots(ctx, w.CWD, nil)
	if err != nil {
		return fmt.Errorf("%w: cwd: %w", ErrBadRequest, err)
	}
	if len(roots) > 0 {
		p.scope, p.key = engine.Project, roots[0]
	}
	return nil
}

// standsFor checks a place, and says whose rules hold there.
func (g *Gate) standsFor(ctx context.Context, p *place) (agent, session, project string, err error) {
	if _, err := engine.ParseScope(string(p.scope)); err != nil {
		return "", "", "", fmt.Errorf("%w: scope: %w", ErrBadRequest, err)
	}
	if (p.scope == engine.Global) != (p.key == "") || len(p.key) > maxPath {
		return "", "", "", fmt.Errorf("%w: scope_key: every scope but global needs a name", ErrBadRequest)
	}
	switch p.scope {
	case engine.Agent:
		return p.key, "", "", nil
	case engine.Project:
		if !filepath.IsAbs(p.key) {
			return "", "", "", fmt.Errorf("%w: project: %q is not an absolute path", ErrBadRequest, p.key)
		}
		resolved, err := g.c.Targets.Directories(ctx, []string{p.key})
		if err != nil || len(resolved) != 1 {
			return "", "", "", fmt.Errorf("%w: project: %q cannot be found: %w", ErrBadRequest, p.key, err)
		}
		p.key = resolved[0]
		return "", "", p.key, nil
	case engine.Session:
		known, err := g.c.Store.Session(ctx, p.key)
		if err != nil {
			return "", "", "", err
		}
		if known.Mode != nil {
			p.state.Mode = known.Mode.String()
		}
		return known.Agent, known.ID, known.ProjectRoot, nil
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
func (g *Gate) apply(ctx context.Context, c Change, p place, change store.Change) (added, removed []engine.Rule, err error) {
	if len(change.Add) == 0 && len(change.Remove) == 0 && !change.SetMode {
		return nil, nil, nil
	}
	for _, r := range p.stored {
		if slices.Contains(change.Remove, r.ID) {
			removed = append(removed, r)
		}
	}
	if err := g.agreed(ctx, c, p, change, removed); err != nil {
		return nil, nil, err
	}
	change.By = cmp.Or(c.By, c.Person.Name)
	added, err = g.c.Store.ChangeRules(ctx, change)
	if errors.Is(err, store.ErrBadRule) {
		err = fmt.Errorf("%w: %w", ErrBadRule, err)
	}
	return added, removed, err
}

// agreed refuses a change that widens what agents may do and that nobody confirms
// whose word counts.
func (g *Gate) agreed(ctx context.Context, c Change, p place, change store.Change, removed []engine.Rule) error {
	rules := slices.ContainsFunc(change.Add, func(r engine.Rule) bool { return r.Behavior == engine.Allow }) ||
		slices.ContainsFunc(removed, func(r engine.Rule) bool { return r.Behavior != engine.Allow })
	mode := false
	if change.SetMode {
		var err error
		if mode, err = g.Widens(ctx, p.key, change.Mode); err == nil && !mode && change.Mode == nil {
			mode, err = g.freesForks(ctx, p.key)
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
			if err := g.bound(ctx, c.Person, change.Add, removed); err != nil {
				return err
			}
		}
		return c.Confirm()
	}
	if rules && !g.mayApprove(ctx, c.Person, p, slices.Concat(change.Add, removed)) {
		if err := g.MayGrant(ctx, c.Person, people.GlobalRules); err != nil {
			return fmt.Errorf("%w: %w", ErrNotEntitled, err)
		}
	}
	if !mode {
		return nil
	}
	return g.agreedMode(ctx, c, p.key, change.Mode, false)
}

// mayApprove reports whether somebody is one of those whom the configuration names
// to approve the calls of the one agent that rules are for: they could store the
// rules by answering. Where several have to agree, or nobody is named, they are not.
func (g *Gate) mayApprove(ctx context.Context, person people.Person, p place, rules []engine.Rule) bool {
	agent := p.key
	switch p.scope {
	case engine.Agent:
	case engine.Session:
		known, err := g.c.Store.Session(ctx, p.key)
		if err != nil {
			return false
		}
		agent = known.Agent
	default:
		return false
	}
	for _, r := range rules {
		policy := g.approvers(agent, r.Tool)
		if policy.String() == "" || policy.Quorum() > 1 || !policy.Authorise("", person).MayApprove {
			return false
		}
		if g.mayAnswerFor(ctx, person, 1, r, g.userOf) != nil { // a glob speaks of tools with approvers of their own
			return false
		}
	}
	return true
}

// CommandOn carries out a text command on lists that are written elsewhere, as in
// the head of a chat's file, and stores nothing. place says where they would hold.
func (g *Gate) CommandOn(ctx context.Context, lists command.State, where Where, text string) (Commanded, error) {
	p, err := g.placeOf(ctx, where)
	if err != nil {
		return Commanded{}, err
	}
	t, done := g.trial()
	defer done()
	k := p.known(t.Known(ctx))
	for _, r := range p.stored {
		k.Others = append(k.Others, command.Other{Rule: r, From: from(r)})
	}
	a := command.Run(lists, text, k)
	return Commanded{OK: a.OK, Message: a.Message, Notes: a.Notes, Lists: a.State, Mode: a.Mode, Scope: p.scope, ScopeKey: p.key}, nil
}
