package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// RuleUses returns how often rules decided a call, by their ids.
func (ad *Admin) RuleUses(ctx context.Context) (map[string]store.RuleUse, error) {
	return ad.c.Store.RuleUses(ctx)
}

// Idle tells, by id, why some of the rules are not used with the modules there are, and why others
// have no effect of their own: another one decides all their calls. It compares tools, scopes, ends
// and texts, and never the meaning of two contents, which only the tool knows.
func (ad *Admin) Idle(ctx context.Context, rules []engine.Rule) (unused, shadowed map[string]string, err error) {
	all, err := ad.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, nil, err
	}
	unused = ad.c.Rules.Unused(all)
	shadowed = shadowing(all, rules, unused)
	maps.DeleteFunc(unused, func(id, _ string) bool {
		return !slices.ContainsFunc(rules, func(r engine.Rule) bool { return r.ID == id })
	})
	return unused, shadowed, nil
}

// shadowing tells, by id, which of all rules leaves one of rules without an effect of its own.
func shadowing(all, rules []engine.Rule, unused map[string]string) map[string]string {
	var whole []engine.Rule
	text := map[string][]engine.Rule{}
	place := map[string]int{}
	for i, r := range all {
		place[r.ID] = i
		if r.WholeTool() {
			whole = append(whole, r)
		} else {
			text[r.String()] = append(text[r.String()], r)
		}
	}
	out := map[string]string{}
	for _, r := range rules {
		others := whole
		if !r.WholeTool() {
			others = append(others[:len(others):len(others)], text[r.String()]...)
		}
		for _, other := range others {
			twins := other.Behavior == r.Behavior && other.String() == r.String() && other.Scope == r.Scope && other.ScopeKey == r.ScopeKey
			if other.ID == r.ID || unused[other.ID] != "" || twins && place[other.ID] > place[r.ID] {
				continue
			}
			if why := shadows(other, r); why != "" {
				out[r.ID] = why
				break
			}
		}
	}
	return out
}

// shadows says why a rule has no effect beside another one; empty when it may have. The other is one
// of the whole tool, or has the same text.
func shadows(other, r engine.Rule) string {
	wider := other.Scope == engine.Global || other.Scope == "" || other.Scope == r.Scope && other.ScopeKey == r.ScopeKey
	lasts := other.ExpiresAt.IsZero() || !r.ExpiresAt.IsZero() && !other.ExpiresAt.Before(r.ExpiresAt)
	switch {
	case !wider || !lasts || other.Server != "" || !sameTools(other, r):
		return ""
	case other.Behavior < r.Behavior: // deny before ask before allow
		return fmt.Sprintf("the %s rule %s comes first", other.Behavior, other)
	case other.Behavior > r.Behavior:
		return ""
	case other.String() == r.String() && other.Scope == r.Scope:
		return "the same rule is there already: " + other.ID
	}
	return fmt.Sprintf("the %s rule %s already holds for its calls", other.Behavior, other)
}

// sameTools reports whether a rule is of the tools of another one.
func sameTools(other, r engine.Rule) bool {
	return engine.IsEffectName(other.Tool) == engine.IsEffectName(r.Tool) && engine.MatchName(other.Tool, r.Tool)
}

// precedes describes ask and deny rules that count before a new allow rule, wherever they hold.
func (ad *Admin) precedes(ctx context.Context, r engine.Rule) ([]string, error) {
	if r.Behavior != engine.Allow {
		return nil, nil
	}
	stored, err := ad.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	agent := ""
	if r.Scope == engine.Agent {
		agent = r.ScopeKey
	}
	var notes []string
	for _, other := range append(ad.c.Settings().Agent(agent).Rules.Live(nil, ad.c.Now()), stored...) {
		if other.Behavior < r.Behavior && sameTools(other, r) && (other.WholeTool() || other.String() == r.String()) {
			notes = append(notes, fmt.Sprintf("the %s rule %s comes first: what it matches is not allowed by %s", other.Behavior, other, r))
		}
	}
	return notes, nil
}
