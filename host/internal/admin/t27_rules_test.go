package admin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
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

// TestT27_ruleBeyondItsAsk: an approver of one agent's asks, and not of another's, accepts a
// rule of the first for everybody, and so answers the second's.
func TestT27_ruleBeyondItsAsk(t *testing.T) {
	w := newWorld(t, guarded)
	asked, done := w.Start(worker, call("x"))
	wide := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Global}
	if _, err := w.AnswerAs(asked.ID, "ann", wide, "dev"); !errors.Is(err, ask.ErrBadAnswer) || !strings.Contains(err.Error(), `the agent "prod"`) {
		t.Errorf("a rule for everybody: got %v, want it refused for prod", err)
	}
	own := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent}
	if out, err := w.AnswerAs(asked.ID, "ann", own, "dev"); err != nil || len(out.Rules) != 1 {
		t.Errorf("a rule for the agent: got %v, %v", out.Rules, err)
	}
	<-done
}

// TestT27_rulesOfAnApprover: an approver without the right to answer asks, or not alone, adds
// the rule answering them, also under a glob or as a whole tool, or removes the asking rule.
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
		err := w.Gate.MayChangeRules(ctx, authority.Caller{Token: tt.by, Kind: authority.Approver}, tt.add, tt.remove)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, authority.ErrNotEntitled) {
			t.Errorf("%s: got %v, want allowed %t", tt.name, err, tt.ok)
		}
		if err := w.Gate.MayChangeRules(ctx, authority.Caller{Token: "admin", Kind: authority.Admin}, tt.add, tt.remove); err != nil {
			t.Errorf("%s, by the operator: got %v", tt.name, err)
		}
	}
	stored, _, err := w.Gate.AddRule(ctx, "cy", rule(engine.Ask, "Probe", "prod")[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Gate.MayRemoveRule(ctx, authority.Caller{Token: "ann", Kind: authority.Approver}, stored.ID); !errors.Is(err, authority.ErrNotEntitled) {
		t.Errorf("removing the rule that asks: got %v", err)
	}
}

// TestT27_commandByAGlob: a sole approver for an agent types an allow rule with a glob covering
// a tool in need of two.
func TestT27_commandByAGlob(t *testing.T) {
	w := newWorld(t, guarded)
	ann := admin.Change{By: "ann", Person: approvers.Person{Name: "ann", Roles: []string{"dev"}}}
	for _, text := range []string{"/allow Prob*", "/allow Probe", "/allow probe(x)"} {
		if out, err := w.Gate.Command(context.Background(), ann, admin.Where{Scope: engine.Agent, Key: "open"}, text); err != nil || len(out.Added) != 1 {
			t.Errorf("%s, where one is enough: got %q, %v, want the rule stored", text, out.Message, err)
		}
		out, err := w.Gate.Command(context.Background(), ann, admin.Where{Scope: engine.Agent, Key: "site"}, text)
		if rules, _ := w.Store.Rules(context.Background(), store.RuleFilter{Scope: engine.Agent, Key: "site"}); len(rules) > 0 {
			t.Errorf("%s: got %q, %v and the rules %v, want none", text, out.Message, err, rules)
		}
	}
	bound := ann
	bound.Bound, bound.Confirm = true, func() error { return nil }
	if out, err := w.Gate.Command(context.Background(), bound, admin.Where{Scope: engine.Agent, Key: "prod"}, "/allow Probe"); !errors.Is(err, authority.ErrNotEntitled) {
		t.Errorf("with an approver's token: got %q, %v, want it refused", out.Message, err)
	}
}
