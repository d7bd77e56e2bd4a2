package gate_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
)

const team = `
people:
  ann: {roles: [admin]}
  dev: {roles: [developer]}
  root: {administrator: true}
permission_grants: {admin: [open, "mode:bypass"]}
agents:
  worker:
    user: dev
    ask_approvers: {roles: [admin, ops], quorum: 2, exclude_requester: true}
  alone: {user: dev}
`

// TestPerson: the person behind a caller, and the trusted sources of roles.
func TestPerson(t *testing.T) {
	w := newWorld(t, team)
	bot, operator := authority.Caller{Token: "bot", Kind: authority.Integrator}, authority.Caller{Token: "admin", Kind: authority.Admin}
	for _, tt := range []struct {
		name          string
		caller        authority.Caller
		given         string
		roles         []string
		administrator bool
		want          approvers.Person
	}{
		{"a check token", worker, "ann", []string{"admin"}, true, approvers.Person{Name: "dev", Roles: []string{"developer"}}},
		{"an approver's token", authority.Caller{Token: "ann", Kind: authority.Approver}, "root", []string{"x"}, true, approvers.Person{Name: "ann", Roles: []string{"admin"}}},
		{"an approver nobody wrote down", authority.Caller{Token: "eve", Kind: authority.Approver}, "ann", []string{"admin"}, true, approvers.Person{Name: "eve"}},
		{"an integrator's member", bot, "eve", []string{"ops"}, false, approvers.Person{Name: "eve", Roles: []string{"ops"}}},
		{"an integrator's member by name", bot, "ann", nil, false, approvers.Person{Name: "ann", Roles: []string{"admin"}}},
		{"an integrator's member of no role", bot, "ann", []string{}, false, approvers.Person{Name: "ann", Roles: []string{}}},
		{"an integrator's administrator", bot, "eve", nil, true, approvers.Person{Name: "eve", Administrator: true}},
		{"an integrator, nobody", bot, "", []string{"admin"}, true, approvers.Person{}},
		{"the operator", operator, "", nil, false, approvers.Person{Name: "admin", Administrator: true}},
		{"the operator for another", operator, "dev", nil, false, approvers.Person{Name: "dev", Roles: []string{"developer"}}},
	} {
		if got := w.Gate.Person(tt.caller, tt.given, tt.roles, tt.administrator); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestMayGrant_refusalsAreAudited: a refusal names the missing role and has its row.
func TestMayGrant_refusalsAreAudited(t *testing.T) {
	w := newWorld(t, team)
	ctx := context.Background()
	if err := w.Gate.MayGrant(ctx, approvers.Person{Name: "ann", Roles: []string{"admin"}}, "mode:accept_edits"); err != nil {
		t.Errorf("got %v, want it granted", err)
	}
	err := w.Gate.MayGrant(ctx, approvers.Person{Name: "dev", Roles: []string{"developer"}}, "open")
	if !errors.Is(err, approvers.ErrNotGranted) || !strings.Contains(err.Error(), "the role admin") {
		t.Errorf("got %v, want the missing role", err)
	}
	if rows := w.EventsOf(store.EventGrantRefused); len(rows) != 1 || rows[0].User != "dev" || rows[0].Detail != err.Error() {
		t.Errorf("audit: got %+v", rows)
	}
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Gate.MayGrant(ctx, approvers.Person{Name: "dev"}, "open"); !errors.Is(err, approvers.ErrNotGranted) || !errors.Is(err, store.ErrClosed) {
		t.Errorf("without the audit: got %v, want the refusal and why it is not audited", err)
	}
}

// TestT27_WhoMayAnswer: bystanders and the trigger change nothing and have a row in the audit
// each; the same person twice counts once; two approvers let the call go on, and a vote after
// the end changes nothing.
func TestT27_WhoMayAnswer(t *testing.T) {
	w := newWorld(t, team)
	asked, done := w.Start(worker, call("x"))
	yes := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent}
	for range 2 {
		if _, err := w.AnswerAs(asked.ID, "eve", yes, "viewer"); !errors.Is(err, ask.ErrNotApprover) {
			t.Errorf("a bystander: got %v", err)
		}
	}
	if _, err := w.AnswerAs(asked.ID, "dev", yes, "ops"); !errors.Is(err, ask.ErrNotApprover) || !strings.Contains(err.Error(), "dev triggered the call") {
		t.Errorf("whoever triggered it: got %v", err)
	}
	if rows := w.EventsOf(store.EventAnswerRefused); len(rows) != 2 || rows[0].DecidedBy != "eve" || rows[1].DecidedBy != "dev" || rows[0].User != "dev" {
		t.Errorf("audit: got %+v, want a row for each of two", rows)
	}
	for range 2 {
		if out, err := w.AnswerAs(asked.ID, "ann", yes, "admin"); err != nil || out.Ask.State != ask.Shown || len(out.Rules) > 0 {
			t.Fatalf("the first vote: got %s, %v, %v", out.Ask.State, out.Rules, err)
		}
	}
	if rows := w.EventsOf(store.EventAskVoted); len(rows) != 2 || rows[0].DecidedBy != "ann" || rows[0].AskID != asked.ID || !strings.Contains(rows[0].Detail, "1 of 2 approved: ann") {
		t.Errorf("audit: got %+v, want a row for each vote", rows)
	}
	out, err := w.AnswerAs(asked.ID, "olga", yes, "ops")
	if err != nil || out.Ask.State != ask.Approved || len(out.Rules) != 1 || out.Rules[0].CreatedBy != "ann, olga" {
		t.Fatalf("the second vote: got %s, %+v, %v", out.Ask.State, out.Rules, err)
	}
	if res := <-done; res.Decision.Behavior != engine.Allow || res.DecidedBy != "ann, olga" || w.LastRow().DecidedBy != "ann, olga" {
		t.Errorf("got %s by %q, audited as by %q", res.Decision.Behavior, res.DecidedBy, w.LastRow().DecidedBy)
	}
	if _, err := w.AnswerAs(asked.ID, "pete", ask.Answer{}, "ops"); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("after the end: got %v, want ErrSettled", err)
	}
}

// TestT27_settledAsksHaveTheirOwnApprovers: a rule accepted on one card answers no ask outside
// its approver's rights.
func TestT27_settledAsksHaveTheirOwnApprovers(t *testing.T) {
	w := newWorld(t, strings.Replace(team, "quorum: 2, exclude_requester: true", "quorum: 1", 1))
	w.Tool.Prefixes = true
	guarded, held := w.Start(worker, call("x1"))
	r := call("x1")
	r.Context.Session = "s2"
	open, done := w.Start(authority.Caller{Token: "check:alone", Agent: "alone"}, r)
	w.Broker.MarkSeen(guarded.ID, "eve")
	*w.Settings = *w.parse("people: {dev: {roles: [developer]}}\nagents: {worker: {user: dev}, alone: {user: dev}}") // the ask keeps its first policy
	out, err := w.AnswerAs(open.ID, "eve", ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Global})
	if err != nil || len(out.Rules) != 1 || len(out.AlsoAnswered) > 0 {
		t.Errorf("got rules %v, also answered %v, %v, want one rule and nothing else answered", out.Rules, out.AlsoAnswered, err)
	}
	<-done
	if got, err := w.Gate.Answer(context.Background(), guarded.ID, ask.Answer{By: "dev"}); err != nil || got.Ask.State != ask.Denied {
		t.Errorf("whoever triggered it takes it back: got %s, %v", got.Ask.State, err)
	}
	<-held
}

// TestAnswers_atOnce: of many answers at once one wins, and the call goes on only when the rule
// in it is stored.
func TestAnswers_atOnce(t *testing.T) {
	w := newWorld(t, "")
	for i := range 20 {
		asked, done := w.Start(worker, call(fmt.Sprint("v", i)))
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				_, err := w.AnswerAs(asked.ID, fmt.Sprint("p", n), ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent})
				if err != nil && !errors.Is(err, ask.ErrSettled) {
					t.Error(err)
				}
			})
		}
		res := <-done
		rules, err := w.Store.Rules(context.Background(), store.RuleFilter{})
		if err != nil || res.Decision.Rule == nil || len(rules) != i+1 {
			t.Fatalf("call %d went on with %d rules stored, by %s (%v)", i, len(rules), res.Decision.Reason, err)
		}
		all.Wait()
	}
}
