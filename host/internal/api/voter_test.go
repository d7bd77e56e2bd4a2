package api_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// TestT27_answersAreByTheToken: an approver's token votes as itself, with any claims of name
// and roles; an admin's speaks for others, with roles from the configuration or the claim. Asks
// list the possible approvers and the votes.
func TestT27_answersAreByTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.attach()
	events := w.broker.Subscribe(t.Context())
	r := bash("make")
	r.Tool, r.Context = "Ship", wire.CallContext{Agent: "guarded", User: "carl"}
	var states []string
	out := checkAside(t.Context(), w.client("integrator"), r, func(p protocol.Progress) {
		if p.State != protocol.StateHeartbeat {
			states = append(states, p.State+" "+p.Reason)
		}
	})
	a := shown(t, events)
	approver, admin := w.client("approver"), w.client("admin")
	for _, refused := range []struct {
		by      *client.Client
		name    string
		roles   []string
		verdict ask.Verdict
	}{
		{admin, "eve", nil, ask.Approve}, {admin, "eve", nil, ask.Deny}, {admin, "carl", []string{"ops"}, ask.Approve}, {admin, "", nil, ask.Approve},
	} {
		_, err := refused.by.Answer(t.Context(), a.ID, ask.Answer{Verdict: refused.verdict, By: refused.name, Roles: refused.roles})
		var e *protocol.Error
		if !errors.As(err, &e) || e.Status != http.StatusForbidden || e.Code != protocol.CodeNotApprover {
			t.Errorf("%q with %v: got %v, want 403 not_approver", refused.name, refused.roles, err)
		}
	}
	for range 2 {
		got, err := approver.Answer(t.Context(), a.ID, ask.Answer{Verdict: ask.Approve, By: "bob", Roles: []string{"ops"}})
		must(t, err)
		if got.Ask.State != ask.Shown || got.Ask.Progress() != "1 of 2 approved: approver" {
			t.Fatalf("got %s, %q, want one vote of the token's own name", got.Ask.State, got.Ask.Progress())
		}
	}
	view, err := approver.Ask(t.Context(), a.ID)
	must(t, err)
	if view.Quorum != 2 || view.Progress != "1 of 2 approved: approver" || view.WhoMayAnswer != "approver or the role ops; 2 have to approve; not the person who triggered the call" {
		t.Errorf("got %d, %q, %q", view.Quorum, view.Progress, view.WhoMayAnswer)
	}
	got, err := admin.Answer(t.Context(), a.ID, ask.Answer{Verdict: ask.Approve, By: "bob"})
	must(t, err)
	if got.Ask.State != ask.Approved {
		t.Fatalf("got %s, want approved", got.Ask.State)
	}
	if end := receive(t, out); end.err != nil || end.res.DecidedBy != "approver, bob" {
		t.Errorf("got by %q, %v", end.res.DecidedBy, end.err)
	}
	if !slices.Contains(states, "voted 1 of 2 approved: approver") {
		t.Errorf("the caller was told %q", states)
	}
}

// TestT27_rulesAreBoundByWhoMayAnswer: an approver's token stores, alone, the rule for calls in
// need of two approvers each, over every route for storing one.
func TestT27_rulesAreBoundByWhoMayAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	approver, admin := w.client("approver"), w.client("admin")
	allow, asks := engine.Allow, engine.Ask
	ship := protocol.NewRule{Rule: "Ship(x)", Behavior: &allow}
	refused := func(what string, err error) {
		t.Helper()
		var e *protocol.Error
		if !errors.As(err, &e) || e.Status != http.StatusForbidden {
			t.Errorf("%s: got %v, want 403", what, err)
		}
	}
	_, err := approver.AddRule(t.Context(), "", ship)
	refused("a rule", err)
	_, err = approver.ChangeRules(t.Context(), "", protocol.RuleChange{Rules: []protocol.NewRule{ship}})
	refused("several rules", err)
	held, err := admin.AddRule(t.Context(), "", protocol.NewRule{Rule: "Ship", Behavior: &asks})
	must(t, err)
	refused("the rule that asks, removed", approver.RemoveRule(t.Context(), "", held.Rule.ID))
	if _, err := admin.AddRule(t.Context(), "", ship); err != nil {
		t.Errorf("the operator: got %v", err)
	}
}
