package admin_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// TestShadowed: a rule without an effect of its own names the other one; wider and narrower scopes,
// ends and texts tell.
func TestShadowed(t *testing.T) {
	t.Parallel()
	soon := time.Now().Add(time.Hour)
	agent := func(r engine.Rule) engine.Rule { r.Scope, r.ScopeKey = engine.Agent, "worker"; return r }
	ends := func(r engine.Rule) engine.Rule { r.ExpiresAt = soon; return r }
	rule := func(b engine.Behavior, text string) engine.Rule {
		r, err := engine.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Behavior, r.Scope = b, engine.Global
		return r
	}
	for name, c := range map[string]struct {
		other, r engine.Rule
		want     bool
	}{
		"a deny rule of the tool":              {rule(engine.Deny, "Probe"), rule(engine.Allow, "Probe(a)"), true},
		"a glob":                               {rule(engine.Ask, "Pro*"), rule(engine.Allow, "Probe(a)"), true},
		"the same text":                        {rule(engine.Ask, "Probe(a)"), rule(engine.Allow, "Probe(a)"), true},
		"another text":                         {rule(engine.Ask, "Probe(b)"), rule(engine.Allow, "Probe(a)"), false},
		"an allow rule before a deny rule":     {rule(engine.Allow, "Probe"), rule(engine.Deny, "Probe(a)"), false},
		"a wider allow rule":                   {rule(engine.Allow, "Probe"), rule(engine.Allow, "Probe(a)"), true},
		"the same for everyone":                {rule(engine.Allow, "Probe(a)"), agent(rule(engine.Allow, "Probe(a)")), true},
		"a deny rule of one agent alone":       {agent(rule(engine.Deny, "Probe")), rule(engine.Allow, "Probe(a)"), false},
		"a deny rule that ends":                {ends(rule(engine.Deny, "Probe")), rule(engine.Allow, "Probe(a)"), false},
		"a deny rule that ends, and both do":   {ends(rule(engine.Deny, "Probe")), ends(rule(engine.Allow, "Probe(a)")), true},
		"a deny rule of another tool's server": {rule(engine.Deny, "mcp__x"), rule(engine.Allow, "Probe(a)"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			var ids []string
			for _, r := range []engine.Rule{c.other, c.r} {
				stored, err := w.Store.AddRule(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, stored.ID)
			}
			rules, err := w.Store.Rules(t.Context(), store.RuleFilter{})
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := w.Gate.Idle(t.Context(), rules)
			if err != nil || (got[ids[1]] != "") != c.want || got[ids[0]] != "" {
				t.Errorf("got %q, %v, want a reason: %t", got, err, c.want)
			}
		})
	}
}
