package admin_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
)

const changing = `
permission_grants:
  lead: ["mode:bypass", "rules:global", open]
agents:
  worker: {mode: default, profile: locked}
`

// TestChangesTakeAWord: a widening needs roles that grant it, or a person's confirmation; a
// tightening needs none.
func TestChangesTakeAWord(t *testing.T) {
	t.Parallel()
	mode := func(m engine.Mode) *engine.Mode { return &m }
	session := admin.Where{Scope: engine.Session, Key: "s1"}
	cases := map[string]struct {
		before func(*world)
		do     func(context.Context, assembly.Gate, admin.Change) error
		widens bool
	}{
		"a looser mode": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			return g.ChangeMode(ctx, c, "s1", mode(engine.Bypass))
		}, true},
		"a stricter mode": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			return g.ChangeMode(ctx, c, "s1", mode(engine.Explore))
		}, false},
		"the forks' looser mode": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			return g.ChangeForkMode(ctx, c, "s1", mode(engine.Bypass))
		}, true},
		"the forks' stricter mode": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			return g.ChangeForkMode(ctx, c, "s1", mode(engine.Explore))
		}, false},
		"a wider profile": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			_, err := g.ChangeProfile(ctx, c, "worker", "open")
			return err
		}, true},
		"back to the narrower profile": {func(w *world) {
			if _, err := w.Gate.GiveProfile(w.T.Context(), "worker", "open", "ann", ""); err != nil {
				w.T.Fatal(err)
			}
		}, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			_, err := g.ChangeProfile(ctx, c, "worker", "")
			return err
		}, false},
		"clearing a session": {nil, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			_, err := g.Clear(ctx, c, "s1")
			return err
		}, false},
		"clearing a session that a rule holds down": {func(w *world) { w.command(session, "/deny Probe(x)") }, func(ctx context.Context, g assembly.Gate, c admin.Change) error {
			_, err := g.Clear(ctx, c, "s1")
			return err
		}, true},
	}
	lead := approvers.Person{Name: "ann", Roles: []string{"lead"}}
	for name, tt := range cases {
		for who, c := range map[string]struct {
			change admin.Change
			may    bool
		}{
			"a person with the role":    {admin.Change{Person: lead}, true},
			"a person without":          {admin.Change{Person: approvers.Person{Name: "eve", Administrator: true}}, !tt.widens},
			"nobody":                    {admin.Change{}, !tt.widens},
			"somebody who confirms":     {admin.Change{By: "ann", Confirm: func() error { return nil }}, true},
			"somebody who does not":     {admin.Change{By: "ann", Person: lead, Confirm: func() error { return authority.ErrNotEntitled }}, !tt.widens},
			"somebody who cannot be as": {admin.Change{By: "ann", Person: approvers.Person{Roles: []string{"lead"}}}, !tt.widens},
		} {
			t.Run(name+" by "+who, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, changing)
				w.Tool.Check = func(*engine.Call) engine.Verdict { return engine.Verdict{Behavior: engine.Deny} }
				r := call("open") // opens the session
				r.Context.Agent = "worker"
				w.Check(authority.Caller{Token: "hub", Kind: authority.Integrator}, r)
				if tt.before != nil {
					tt.before(w)
				}
				refused := len(w.EventsOf(store.EventGrantRefused))
				err := tt.do(t.Context(), w.Gate, c.change)
				if c.may != (err == nil) || err != nil && !errors.Is(err, authority.ErrNotEntitled) {
					t.Fatalf("got %v, want it done: %t", err, c.may)
				}
				if rows := len(w.EventsOf(store.EventGrantRefused)) - refused; c.change.Confirm == nil && (rows == 1) == c.may {
					t.Errorf("%d rows of refusals", rows)
				}
			})
		}
	}
}

// TestClearByAnApprover: those who answer for the one agent may take its session's
// rules back.
func TestClearByAnApprover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "permission_grants: {}\nagents:\n  worker: {ask_approvers: {users: [ann]}}\n")
	_, done := w.Start(worker, call("x"))
	w.command(admin.Where{Scope: engine.Session, Key: "s1"}, "/deny Probe(y)")
	if _, err := w.Gate.Clear(t.Context(), admin.Change{Person: approvers.Person{Name: "eve"}}, "s1"); !errors.Is(err, authority.ErrNotEntitled) {
		t.Fatalf("eve: got %v", err)
	}
	out, err := w.Gate.Clear(t.Context(), admin.Change{Person: approvers.Person{Name: "ann"}}, "s1")
	if err != nil || out.Asks != 1 {
		t.Fatalf("got %+v, %v", out, err)
	}
	if res := <-done; res.Decision.Behavior != engine.Deny {
		t.Errorf("the call that waited: %+v", res.Decision)
	}
	if left := w.Broker.Waiting(ask.Filter{}); len(left) != 0 {
		t.Errorf("%d asks wait", len(left))
	}
}

// TestChangeRulesByAnApprover: those who answer for one agent may store its rules, and
// only its.
func TestChangeRulesByAnApprover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "permission_grants: {}\nagents:\n  worker: {ask_approvers: {users: [ann]}}\n  other: {ask_approvers: {users: [bob]}}\n")
	rule := func(scope engine.Scope, key string) engine.Rule {
		content := "x"
		return engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Allow, Scope: scope, ScopeKey: key}
	}
	ann := admin.Change{Person: approvers.Person{Name: "ann"}}
	for name, tt := range map[string]struct {
		rules []engine.Rule
		may   bool
	}{
		"of the agent":            {[]engine.Rule{rule(engine.Agent, "worker")}, true},
		"of another":              {[]engine.Rule{rule(engine.Agent, "other")}, false},
		"of both":                 {[]engine.Rule{rule(engine.Agent, "worker"), rule(engine.Agent, "other")}, false},
		"of everybody":            {[]engine.Rule{rule(engine.Global, "")}, false},
		"of one and of everybody": {[]engine.Rule{rule(engine.Agent, "worker"), rule(engine.Global, "")}, false},
	} {
		if _, err := w.Gate.ChangeRules(t.Context(), ann, tt.rules, nil, false); tt.may != (err == nil) || err != nil && !errors.Is(err, authority.ErrNotEntitled) {
			t.Errorf("%s: got %v, want it stored: %t", name, err, tt.may)
		}
	}
}
