package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
)

// TestT27_clearFreesForks: somebody in the chat without any grant clears a session whose
// forks somebody held to a stricter mode.
func TestT27_clearFreesForks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass, user: joe}}\n")
	w.check(worker, call("x"))
	explore := engine.Explore
	if err := w.gate.SetForkMode(context.Background(), "s1", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	viewer := people.Person{Name: "eve", Roles: []string{"viewer"}}
	if err := w.gate.ChangeForkMode(context.Background(), gate.Change{Person: viewer}, "s1", nil); err == nil {
		t.Fatal("eve frees the forks outright")
	}
	if _, err := w.gate.Clear(context.Background(), gate.Change{By: "eve", Person: viewer}, "s1"); !errors.Is(err, gate.ErrNotEntitled) {
		t.Errorf("eve clears the session: got %v", err)
	}
	if known, _, err := w.gate.Session(context.Background(), "s1"); err != nil || known.ForkMode == nil || *known.ForkMode != engine.Explore {
		t.Errorf("the forks are free: %v", err)
	}
}

// TestT27_askRuleHidesSafetyCheck: somebody in the chat without any grant stores a rule
// that asks, so that a safety check is no safety check any more and whoever may answer
// ordinary asks approves it alone.
func TestT27_askRuleHidesSafetyCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {users: [bob, chief], safety_checks: {users: [chief]}}}}\n")
	w.tool.check = func(*engine.Call) engine.Verdict {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "nobody can bring this back"}
	}
	viewer := people.Person{Name: "eve", Roles: []string{"viewer"}}
	_, err := w.gate.Command(context.Background(), gate.Change{By: "eve", Person: viewer}, gate.Where{Scope: engine.Agent, Key: "worker"}, "/ask Probe")
	if err != nil {
		t.Fatal(err)
	}
	a, done := w.start(worker, call("x"))
	if out, err := w.gate.Answer(context.Background(), a.ID, ask.Answer{Verdict: ask.Approve, By: "bob", Surface: "test"}); !errors.Is(err, ask.ErrNotApprover) && !errors.Is(err, ask.ErrUnconfirmed) {
		t.Errorf("bob approves a safety check: got %s, %v", out.Ask.State, err)
	}
	for _, typed := range []string{"", a.ID} {
		_, err = w.gate.Answer(context.Background(), a.ID, ask.Answer{Verdict: ask.Approve, By: "chief", Surface: "test", ConfirmID: typed})
		if got := errors.Is(err, ask.ErrUnconfirmed); got != (typed == "") {
			t.Errorf("chief approves with the id %q: got %v", typed, err)
		}
	}
	<-done
}
