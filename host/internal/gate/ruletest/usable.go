package ruletest

import (
	"context"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
)

// maxProven bounds how many rules are remembered as tried.
const maxProven = 1 << 14

// testOf is a stored rule as one module reads it for one tool.
type testOf struct{ rule, digest, tool string }

// Usable leaves out the stored allow rules whose own examples the module of the call's tool now
// reads otherwise: a rule must not outlive its meaning (threat T05). Each rule with examples is
// tried once for each module; deny and ask rules stay as they are. The rules suspended at the
// swap of the module are left out, too.
func (s *Stored) Usable(ctx context.Context, tools describe.Catalog, entry modules.Entry, called string, rules []engine.Rule) []engine.Rule {
	if entry.Err != nil {
		return rules // no rule of it matches
	}
	names := entry.Names(called)
	return without(rules, func(r engine.Rule) bool {
		return r.Behavior == engine.Allow && !r.WholeTool() && engine.MatchName(r.Tool, names...) && !s.provenRule(ctx, tools, entry, r)
	})
}

// without are the rules except those chosen by drop; the shared list itself stays unchanged.
func without(rules []engine.Rule, drop func(engine.Rule) bool) []engine.Rule {
	for i, r := range rules {
		if drop(r) {
			return append(slices.Clone(rules[:i]), slices.DeleteFunc(slices.Clone(rules[i+1:]), drop)...)
		}
	}
	return rules
}

func (s *Stored) provenRule(ctx context.Context, tools describe.Catalog, entry modules.Entry, r engine.Rule) bool {
	key := testOf{r.ID, entry.Digest, entry.Name}
	s.mu.Lock()
	holds, known := s.tried[key]
	suspended := s.isSuspended(entry, r)
	s.mu.Unlock()
	if suspended || known {
		return holds && !suspended
	}
	if len(r.Match) == 0 && len(r.NotMatch) == 0 {
		return true
	}
	err := Tester{Catalog: tools, Targets: s.c.Targets}.examples(ctx, entry, r)
	if ctx.Err() != nil {
		return false // it is not known, and is tried again with the next call
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tried) >= maxProven {
		clear(s.tried)
	}
	s.tried[key] = err == nil
	if err != nil {
		s.c.Log.Warn("stored allow rule not used: its tool's module no longer matches the rule's own examples; remove it or add it again",
			"rule", r.ID, "tool", r.Tool, "scope", r.Scope, "module", entry.File)
	}
	return err == nil
}
