package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// AddRule stores a rule in the name of by, after testing it on its own examples, and returns it
// with notes about its limits.
func (ad *Admin) AddRule(ctx context.Context, by string, r engine.Rule) (engine.Rule, []string, error) {
	t, done := ad.c.Rules.Tester()
	defer done()
	if err := t.Test(ctx, &r); err != nil {
		return r, nil, err
	}
	r.CreatedBy = by
	stored, err := ad.c.Store.AddRule(ctx, r)
	if errors.Is(err, store.ErrBadRule) {
		err = fmt.Errorf("%w: %w", ruletest.ErrBadRule, err)
	}
	if err != nil {
		return r, nil, err
	}
	notes, err := ad.precedes(ctx, stored)
	if stored.Content != nil && mask.LooksSecret(*stored.Content) {
		notes = append(notes, secretNote)
	}
	return stored, notes, err
}

// secretNote is the note about a rule with a secret in it.
const secretNote = "the rule's text holds what looks like a secret, and is kept and listed as it is: remove it, and write one that leaves the secret out"

// RemoveRule deletes a stored rule in the name of by. The configuration's rules
// are changed in its file: to remove one of them is ruletest.ErrBadRule.
func (ad *Admin) RemoveRule(ctx context.Context, by, id string) error {
	for _, r := range ad.c.Settings().AllRules() {
		if r.ID == id {
			return fmt.Errorf("%w: %s is a rule of the configuration: remove it from the file", ruletest.ErrBadRule, id)
		}
	}
	return ad.c.Store.RemoveRule(ctx, id, by)
}

// Rules lists the rules chosen by f: those of the configuration, with source config.Source, then
// the stored ones. A project file's own rules are known only during a call in the project.
func (ad *Admin) Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error) {
	var rules []engine.Rule
	for _, r := range ad.c.Settings().AllRules() {
		if f.Chooses(r, ad.c.Now()) {
			rules = append(rules, r)
		}
	}
	stored, err := ad.c.Store.Rules(ctx, f)
	return append(rules, stored...), err
}

// TestRule reports whether a rule would match a call, without storing either.
func (ad *Admin) TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error) {
	t, done := ad.c.Rules.Tester()
	defer done()
	entry, err := t.Canonical(&r)
	switch {
	case err != nil:
		return false, err
	case engine.IsEffectName(r.Tool):
		return false, fmt.Errorf("%w: %s is about what a call does: try it with callgate explain", ruletest.ErrBadRule, r)
	}
	return t.Matches(ctx, entry, r, c)
}
