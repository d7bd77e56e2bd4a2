package gate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

const guarded = `
people: {ann: {roles: [dev]}, bob: {roles: [dev]}, cy: {roles: [ops]}}
permission_grants: {ops: ["rules:global"]}
agents:
  worker: {user: joe}
  prod: {user: joe, ask_approvers: {users: [cy]}}
  site:
    user: joe
    ask_approvers: {roles: [dev]}
    tools: {Deploy: {ask_approvers: {roles: [dev], quorum: 2}}, Probe: {ask_approvers: {roles: [dev], quorum: 2}}}
  open: {user: joe, ask_approvers: {roles: [dev]}}
`

// TestT27_ruleBeyondItsAsk: somebody who may answer one agent's asks, and not
// another's, accepts a rule of the first for everybody, and so answers the second's.
func TestT27_ruleBeyondItsAsk(t *testing.T) {
	w := newWorld(t, guarded)
	asked, done := w.start(worker, call("x"))
	wide := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Global}
	if _, err := w.answerAs(asked.ID, "ann", wide, "dev"); !errors.Is(err, ask.ErrBadAnswer) || !strings.Contains(err.Error(), `the agent "prod"`) {
		t.Errorf("a rule for everybody: got %v, want it refused for prod", err)
	}
	own := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent}
	if out, err := w.answerAs(asked.ID, "ann", own, "dev"); err != nil || len(out.Rules) != 1 {
		t.Errorf("a rule for the agent: got %v, %v", out.Rules, err)
	}
	<-done
}

// TestT27_rulesOfAnApprover: an approver who may not answer asks, or not alone, adds
// the rule that answers them, also under a glob or as a whole tool, or takes away the
// rule that asks.
func TestT27_rulesOfAnApprover(t *testing.T) {
	w := newWorld(t, guarded)
	ctx := context.Background()
	rule := func(b engine.Behavior, tool, agent string) []engine.Rule {
		r := engine.Rule{Tool: tool, Behavior: b, Scope: engine.Agent, ScopeKey: agent}
		if agent == "" {
			r.Scope = engine.Global
		}
		return []engine.Rule{r}
	}
	for _, tt := range []struct {
		name, by    string
		add, remove []engine.Rule
		ok          bool
	}{
		{"another's agent", "ann", rule(engine.Allow, "Probe", "prod"), nil, false},
		{"their own agent's", "cy", rule(engine.Allow, "Probe", "prod"), nil, true},
		{"everybody's", "ann", rule(engine.Allow, "Probe", ""), nil, false},
		{"where nobody is named", "ann", rule(engine.Allow, "Probe", "worker"), nil, true},
		{"a tool that takes two", "ann", rule(engine.Allow, "Deploy", "site"), nil, false},
		{"in another case", "ann", rule(engine.Allow, "deploy", "site"), nil, false},
		{"by a glob", "ann", rule(engine.Allow, "Dep*", "site"), nil, false},
		{"by all tools", "ann", rule(engine.Allow, "*", "site"), nil, false},
		{"another tool", "ann", rule(engine.Allow, "Other", "site"), nil, true},
		{"a denial", "ann", rule(engine.Deny, "Deploy", "site"), nil, true},
		{"without the rule that asks", "ann", nil, rule(engine.Ask, "Probe", "prod"), false},
		{"without an allow rule", "ann", nil, rule(engine.Allow, "Probe", "prod"), true},
	} {
		err := w.gate.MayChangeRules(ctx, gate.Caller{Token: tt.by, Standing: gate.Approver}, tt.add, tt.remove)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, gate.ErrNotEntitled) {
			t.Errorf("%s: got %v, want allowed %t", tt.name, err, tt.ok)
		}
		if err := w.gate.MayChangeRules(ctx, gate.Caller{Token: "admin", Standing: gate.Admin}, tt.add, tt.remove); err != nil {
			t.Errorf("%s, by the operator: got %v", tt.name, err)
		}
	}
	stored, _, err := w.gate.AddRule(ctx, "cy", rule(engine.Ask, "Probe", "prod")[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := w.gate.MayRemoveRule(ctx, gate.Caller{Token: "ann", Standing: gate.Approver}, stored.ID); !errors.Is(err, gate.ErrNotEntitled) {
		t.Errorf("removing the rule that asks: got %v", err)
	}
}

// TestT27_commandByAGlob: a member who may answer alone for an agent types an allow
// rule whose glob speaks of a tool that takes two.
func TestT27_commandByAGlob(t *testing.T) {
	w := newWorld(t, guarded)
	ann := gate.Change{By: "ann", Person: people.Person{Name: "ann", Roles: []string{"dev"}}}
	for _, text := range []string{"/allow Prob*", "/allow Probe", "/allow probe(x)"} {
		if out, err := w.gate.Command(context.Background(), ann, gate.Where{Scope: engine.Agent, Key: "open"}, text); err != nil || len(out.Added) != 1 {
			t.Errorf("%s, where one is enough: got %q, %v, want the rule stored", text, out.Message, err)
		}
		out, err := w.gate.Command(context.Background(), ann, gate.Where{Scope: engine.Agent, Key: "site"}, text)
		if rules, _ := w.store.Rules(context.Background(), store.RuleFilter{Scope: engine.Agent, Key: "site"}); len(rules) > 0 {
			t.Errorf("%s: got %q, %v and the rules %v, want none", text, out.Message, err, rules)
		}
	}
	bound := ann
	bound.Bound, bound.Confirm = true, func() error { return nil }
	if out, err := w.gate.Command(context.Background(), bound, gate.Where{Scope: engine.Agent, Key: "prod"}, "/allow Probe"); !errors.Is(err, gate.ErrNotEntitled) {
		t.Errorf("with an approver's token: got %q, %v, want it refused", out.Message, err)
	}
}
