package api_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/wire"
)

// TestEvaluate_approverSeesAnyAgents: the possible decision, without deciding.
func TestEvaluate_approverSeesAnyAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := bash("npm install")
	for agent, want := range map[string]string{"": "ask", "long": "ask", "ci": "deny"} {
		r.Context = wire.CallContext{Agent: agent}
		res, err := w.client("approver").Evaluate(t.Context(), r)
		if err != nil || res.Decision.Behavior.String() != want {
			t.Errorf("as %q: got %s, %v, want %s", agent, res.Decision.Behavior, err, want)
		}
	}
}

// TestT27_approverAnswersInItsOwnName, with any claims: the audit must not name another person.
func TestT27_approverAnswersInItsOwnName(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ann, admin := w.client("approver"), w.client("admin")
	for c, want := range map[*client.Client]string{ann: "approver", admin: "bob"} {
		added, err := c.AddRule(t.Context(), "bob", allowRule("npm run "+want))
		must(t, err)
		if added.Rule.CreatedBy != want {
			t.Errorf("rule: got %q, want %q", added.Rule.CreatedBy, want)
		}
	}
	w.attach()
	events := w.broker.Subscribe(t.Context())
	out := checkAside(t.Context(), w.client("long"), bash("make"), nil)
	a := shown(t, events)
	_, err := ann.Answer(t.Context(), a.ID, ask.Answer{Verdict: ask.Deny, By: "bob"})
	must(t, err)
	if got := receive(t, out); got.res.DecidedBy != "approver" {
		t.Errorf("answer: decided by %q, want approver", got.res.DecidedBy)
	}
}
