package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/store"
)

// AddRule stores a rule in the name of by, after trying it on its own examples,
// and returns it with notes about what it will not do.
func (g *Gate) AddRule(ctx context.Context, by string, r engine.Rule) (engine.Rule, []string, error) {
	t, done := g.trial()
	defer done()
	if err := t.Try(ctx, &r); err != nil {
		return r, nil, err
	}
	r.CreatedBy = by
	stored, err := g.c.Store.AddRule(ctx, r)
	if errors.Is(err, store.ErrBadRule) {
		err = fmt.Errorf("%w: %w", ErrBadRule, err)
	}
	if err != nil {
		return r, nil, err
	}
	notes, err := g.shadows(ctx, stored)
	if stored.Content != nil && looksSecret(*stored.Content) {
		notes = append(notes, secretNote)
	}
	return stored, notes, err
}

// secretNote is told of a rule that quotes a secret.
const secretNote = "the rule's text holds what looks like a secret, and is kept and listed as it is: remove it, and write one that leaves the secret out"

// RemoveRule deletes a stored rule in the name of by. The configuration's rules
// are changed in its file: to remove one of them is ErrBadRule.
func (g *Gate) RemoveRule(ctx context.Context, by, id string) error {
	for _, r := range g.c.Settings().AllRules() {
		if r.ID == id {
			return fmt.Errorf("%w: %s is a rule of the configuration: remove it from the file", ErrBadRule, id)
		}
	}
	return g.c.Store.RemoveRule(ctx, id, by)
}

// Rules lists the rules that f chooses: those of the configuration, whose source
// is config.Source, then the stored ones. Those of a project's own file are known
// only while a call of that project is judged.
func (g *Gate) Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error) {
	var rules []engine.Rule
	for _, r := range g.c.Settings().AllRules() {
		if f.Chooses(r, g.c.Now()) {
			rules = append(rules, r)
		}
	}
	stored, err := g.c.Store.Rules(ctx, f)
	return append(rules, stored...), err
}

// TestRule reports whether a rule would match a call, without storing either.
func (g *Gate) TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error) {
	t, done := g.trial()
	defer done()
	entry, err := t.canonical(&r)
	if err != nil {
		return false, err
	}
	return t.matches(ctx, entry, r, c)
}

// trial tries rules on the modules as they are now; done is called when nothing of
// it is used any more.
func (g *Gate) trial() (t Trial, done func()) {
	tools := g.c.Catalog()
	return Trial{Catalog: tools, Targets: g.c.Targets}, tools.Release
}

// named is the tool of a name, for its names alone.
func (g *Gate) named(tool string) engine.Entry {
	tools := g.c.Catalog()
	defer tools.Release()
	return tools.Lookup(tool).Entry
}

// shadows tells of ask and deny rules that hold before a new allow rule.
// Source: design section 13, "ask or allow first".
func (g *Gate) shadows(ctx context.Context, r engine.Rule) ([]string, error) {
	if r.Behavior != engine.Allow {
		return nil, nil
	}
	stored, err := g.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	agent := ""
	if r.Scope == engine.Agent {
		agent = r.ScopeKey
	}
	var notes []string
	for _, other := range append(g.live(g.c.Settings().Agent(agent).Rules.All()), stored...) {
		if other.Behavior == engine.Allow || !engine.MatchName(other.Tool, r.Tool) {
			continue
		}
		if other.WholeTool() || other.String() == r.String() {
			notes = append(notes, fmt.Sprintf("the %s rule %s comes first: what it matches is not allowed by %s", other.Behavior, other, r))
		}
	}
	return notes, nil
}
