package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/mask"
	"github.com/callgate/callgate/host/wire"
)

// ChangeRules adds rules and removes stored ones, all or none of them, after testing each on its
// own examples; dryRun only returns the effect. ruletest.ErrBadRule names the rule by its index, as
// in "rules[2]".
func (ad *Admin) ChangeRules(ctx context.Context, c Change, add []engine.Rule, remove []string, dryRun bool) (wire.RuleChangeResult, error) {
	change := store.Change{Remove: remove}
	out := wire.RuleChangeResult{Rules: []wire.PlannedRule{}, Removed: []engine.Rule{}}
	stored, err := ad.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return out, err
	}
	t, done := ad.c.Rules.Tester()
	defer done()
	for i, r := range add {
		if err := t.Test(ctx, &r); err != nil {
			return out, fmt.Errorf("%w: rules[%d]: %w", ruletest.ErrBadRule, i, err)
		}
		p, err := ad.plan(ctx, t, r, stored)
		if err != nil {
			return out, err
		}
		out.Rules = append(out.Rules, p)
		change.Add = append(change.Add, r)
	}
	if dryRun {
		for _, r := range stored {
			if slices.Contains(remove, r.ID) {
				out.Removed = append(out.Removed, r)
			}
		}
		return out, nil
	}
	added, removed, err := ad.apply(ctx, c, placeOfAll(stored, change), change)
	if err != nil {
		return out, err
	}
	out.Stored = true
	out.Removed = append(out.Removed, removed...)
	for i, r := range added {
		out.Rules[i].Rule = r
	}
	return out, nil
}

// plan describes a rule's place among the existing ones.
func (ad *Admin) plan(ctx context.Context, t ruletest.Tester, r engine.Rule, stored []engine.Rule) (wire.PlannedRule, error) {
	p, err := ad.placeOf(ctx, Where{Scope: r.Scope, Key: r.ScopeKey})
	if err != nil {
		return wire.PlannedRule{}, err
	}
	k := p.known(Known(ctx, t))
	for _, other := range p.stored {
		k.Others = append(k.Others, command.Other{Rule: other, From: from(other)})
	}
	out := wire.PlannedRule{Rule: r, Notes: k.Order(r, command.State{})}
	out.Exists = slices.ContainsFunc(stored, func(old engine.Rule) bool {
		return old.Behavior == r.Behavior && old.Scope == r.Scope && old.ScopeKey == r.ScopeKey && old.String() == r.String()
	})
	if r.Content != nil && mask.LooksSecret(*r.Content) {
		out.Notes = append(out.Notes, secretNote)
	}
	return out, nil
}

// placeOfAll is the one place of all rules in a change, the zero place for several: approvers of
// one agent may change only this agent's rules.
func placeOfAll(stored []engine.Rule, change store.Change) place {
	p := place{stored: stored}
	all := slices.Clone(change.Add)
	for _, r := range stored {
		if slices.Contains(change.Remove, r.ID) {
			all = append(all, r)
		}
	}
	for i, r := range all {
		if i > 0 && (r.Scope != p.scope || r.ScopeKey != p.key) {
			return place{stored: stored}
		}
		p.scope, p.key = r.Scope, r.ScopeKey
	}
	return p
}
