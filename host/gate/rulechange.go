package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/command"
	"github.com/callgate/callgate/host/store"
)

// Changed is what became of several rules.
type Changed struct {
	// Rules are those that were to be added, in their order.
	Rules []Planned `json:"rules"`
	// Removed are the rules that were deleted.
	Removed []engine.Rule `json:"removed"`
	// Stored is false for a dry run.
	Stored bool `json:"stored"`
}

// Planned is one of several rules.
type Planned struct {
	// Rule is the rule as stored, or as it would be.
	Rule engine.Rule `json:"rule"`
	// Exists tells that it is there already, and so is not stored again.
	Exists bool `json:"exists"`
	// Notes tell what it will not do, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// ChangeRules adds rules and removes stored ones, all or none of them, after trying
// each on its own examples; dryRun only says what would happen. ErrBadRule names
// the rule by its index, as in "rules[2]".
func (g *Gate) ChangeRules(ctx context.Context, c Change, add []engine.Rule, remove []string, dryRun bool) (Changed, error) {
	change := store.Change{Remove: remove}
	out := Changed{Rules: []Planned{}, Removed: []engine.Rule{}}
	stored, err := g.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return out, err
	}
	t, done := g.trial()
	defer done()
	for i, r := range add {
		if err := t.Try(ctx, &r); err != nil {
			return out, fmt.Errorf("%w: rules[%d]: %w", ErrBadRule, i, err)
		}
		p, err := g.plan(ctx, t, r, stored)
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
	added, removed, err := g.apply(ctx, c, placeOfAll(stored, change), change)
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

// plan says what a rule would be among those that are there.
func (g *Gate) plan(ctx context.Context, t Trial, r engine.Rule, stored []engine.Rule) (Planned, error) {
	p, err := g.placeOf(ctx, Where{Scope: r.Scope, Key: r.ScopeKey})
	if err != nil {
		return Planned{}, err
	}
	k := p.known(t.Known(ctx))
	for _, other := range p.stored {
		k.Others = append(k.Others, command.Other{Rule: other, From: from(other)})
	}
	out := Planned{Rule: r, Notes: k.Order(r, command.State{})}
	out.Exists = slices.ContainsFunc(stored, func(old engine.Rule) bool {
		return old.Behavior == r.Behavior && old.Scope == r.Scope && old.ScopeKey == r.ScopeKey && old.String() == r.String()
	})
	if r.Content != nil && looksSecret(*r.Content) {
		out.Notes = append(out.Notes, secretNote)
	}
	return out, nil
}

// placeOfAll is the one place that all rules of a change are for, the zero place when
// there are several: approvers of one agent may change the rules of that alone.
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
