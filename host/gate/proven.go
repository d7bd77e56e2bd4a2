package gate

import (
	"context"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
)

// maxProven bounds how many rules are remembered as tried.
const maxProven = 1 << 14

// trialOf is a stored rule as one module reads it for one tool.
type trialOf struct{ rule, digest, tool string }

// proven leaves out the stored allow rules whose own examples the module of the
// call's tool reads otherwise than when they were stored: a rule must not outlive
// its meaning (threat T05). Each rule with examples is tried once for each module;
// deny and ask rules stay as they are. So are left out the rules that were suspended
// when the module was swapped in.
func (g *Gate) proven(ctx context.Context, tools Catalog, entry catalog.Entry, called string, rules []engine.Rule) []engine.Rule {
	if entry.Err != nil {
		return rules // no rule of it matches
	}
	names := entry.Names(called)
	return without(rules, func(r engine.Rule) bool {
		return r.Behavior == engine.Allow && !r.WholeTool() && engine.MatchName(r.Tool, names...) && !g.provenRule(ctx, tools, entry, r)
	})
}

// without is rules but for those that drop chooses; the list itself, which others
// share, stays as it is.
func without(rules []engine.Rule, drop func(engine.Rule) bool) []engine.Rule {
	for i, r := range rules {
		if drop(r) {
			return append(slices.Clone(rules[:i]), slices.DeleteFunc(slices.Clone(rules[i+1:]), drop)...)
		}
	}
	return rules
}

func (g *Gate) provenRule(ctx context.Context, tools Catalog, entry catalog.Entry, r engine.Rule) bool {
	key := trialOf{r.ID, entry.Digest, entry.Name}
	g.mu.Lock()
	holds, known := g.tried[key]
	suspended := g.isSuspended(entry, r)
	g.mu.Unlock()
	if suspended || known {
		return holds && !suspended
	}
	if len(r.Match) == 0 && len(r.NotMatch) == 0 {
		return true
	}
	err := Trial{Catalog: tools, Targets: g.c.Targets}.examples(ctx, entry, r)
	if ctx.Err() != nil {
		return false // it is not known, and is tried again with the next call
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.tried) >= maxProven {
		clear(g.tried)
	}
	g.tried[key] = err == nil
	if err != nil {
		g.c.Log.Warn("stored allow rule not used: its tool's module reads it otherwise than its own examples say; remove it or add it again",
			"id", r.ID, "tool", r.Tool, "scope", r.Scope, "module", entry.Module)
	}
	return err == nil
}
