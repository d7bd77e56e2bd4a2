package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
)

// TestT27_clearFreesForks: a person in the chat without any grant clears a session whose forks
// are held to a stricter mode.
func TestT27_clearFreesForks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass, user: joe}}\n")
	w.Check(worker, call("x"))
	explore := engine.Explore
	if err := w.Gate.SetForkMode(context.Background(), "s1", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	viewer := approvers.Person{Name: "eve", Roles: []string{"viewer"}}
	if err := w.Gate.ChangeForkMode(context.Background(), admin.Change{Person: viewer}, "s1", nil); err == nil {
		t.Fatal("eve frees the forks outright")
	}
	if _, err := w.Gate.Clear(context.Background(), admin.Change{By: "eve", Person: viewer}, "s1"); !errors.Is(err, authority.ErrNotEntitled) {
		t.Errorf("eve clears the session: got %v", err)
	}
	if known, _, err := w.Gate.Session(context.Background(), "s1"); err != nil || known.ForkMode == nil || *known.ForkMode != engine.Explore {
		t.Errorf("the forks are free: %v", err)
	}
}

// TestT27_askRuleHidesSafetyCheck: a person in the chat without any grant stores an ask rule,
// so that a safety check no longer counts as one and an ordinary approver approves it alone.
func TestT27_askRuleHidesSafetyCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: joe, ask_approvers: {users: [bob, chief], safety_checks: {users: [chief]}}}}\n")
	w.Tool.Check = func(*engine.Call) engine.Verdict {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "nobody can bring this back"}
	}
	viewer := approvers.Person{Name: "eve", Roles: []string{"viewer"}}
	_, err := w.Gate.Command(context.Background(), admin.Change{By: "eve", Person: viewer}, admin.Where{Scope: engine.Agent, Key: "worker"}, "/ask Probe")
	if err != nil {
		t.Fatal(err)
	}
	a, done := w.Start(worker, call("x"))
	if out, err := w.Gate.Answer(context.Background(), a.ID, ask.Answer{Verdict: ask.Approve, By: "bob", Surface: "test"}); !errors.Is(err, ask.ErrNotApprover) && !errors.Is(err, ask.ErrUnconfirmed) {
		t.Errorf("bob approves a safety check: got %s, %v", out.Ask.State, err)
	}
	for _, typed := range []string{"", a.ID} {
		_, err = w.Gate.Answer(context.Background(), a.ID, ask.Answer{Verdict: ask.Approve, By: "chief", Surface: "test", ConfirmID: typed})
		if got := errors.Is(err, ask.ErrUnconfirmed); got != (typed == "") {
			t.Errorf("chief approves with the id %q: got %v", typed, err)
		}
	}
	<-done
}
