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
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
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

// TestPerson: who a caller speaks for, and whose word on roles counts.
func TestPerson(t *testing.T) {
	w := newWorld(t, team)
	bot, operator := gate.Caller{Token: "bot", Standing: gate.Integrator}, gate.Caller{Token: "admin", Standing: gate.Admin}
	for _, tt := range []struct {
		name          string
		caller        gate.Caller
		given         string
		roles         []string
		administrator bool
		want          people.Person
	}{
		{"a check token", worker, "ann", []string{"admin"}, true, people.Person{Name: "dev", Roles: []string{"developer"}}},
		{"an approver's token", gate.Caller{Token: "ann", Standing: gate.Approver}, "root", []string{"x"}, true, people.Person{Name: "ann", Roles: []string{"admin"}}},
		{"an approver nobody wrote down", gate.Caller{Token: "eve", Standing: gate.Approver}, "ann", []string{"admin"}, true, people.Person{Name: "eve"}},
		{"an integrator's member", bot, "eve", []string{"ops"}, false, people.Person{Name: "eve", Roles: []string{"ops"}}},
		{"an integrator's member by name", bot, "ann", nil, false, people.Person{Name: "ann", Roles: []string{"admin"}}},
		{"an integrator's member of no role", bot, "ann", []string{}, false, people.Person{Name: "ann", Roles: []string{}}},
		{"an integrator's administrator", bot, "eve", nil, true, people.Person{Name: "eve", Administrator: true}},
		{"an integrator, nobody", bot, "", []string{"admin"}, true, people.Person{}},
		{"the operator", operator, "", nil, false, people.Person{Name: "admin", Administrator: true}},
		{"the operator for another", operator, "dev", nil, false, people.Person{Name: "dev", Roles: []string{"developer"}}},
	} {
		if got := w.gate.Person(tt.caller, tt.given, tt.roles, tt.administrator); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestMayGrant_refusalsAreAudited: a refusal names the missing role and has its row.
func TestMayGrant_refusalsAreAudited(t *testing.T) {
	w := newWorld(t, team)
	ctx := context.Background()
	if err := w.gate.MayGrant(ctx, people.Person{Name: "ann", Roles: []string{"admin"}}, "mode:accept_edits"); err != nil {
		t.Errorf("got %v, want it granted", err)
	}
	err := w.gate.MayGrant(ctx, people.Person{Name: "dev", Roles: []string{"developer"}}, "open")
	if !errors.Is(err, people.ErrNotGranted) || !strings.Contains(err.Error(), "the role admin") {
		t.Errorf("got %v, want the missing role", err)
	}
	if rows := w.eventsOf(store.EventGrantRefused); len(rows) != 1 || rows[0].User != "dev" || rows[0].Detail != err.Error() {
		t.Errorf("audit: got %+v", rows)
	}
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.gate.MayGrant(ctx, people.Person{Name: "dev"}, "open"); !errors.Is(err, people.ErrNotGranted) || !errors.Is(err, store.ErrClosed) {
		t.Errorf("without the audit: got %v, want the refusal and why it is not audited", err)
	}
}

// answerAs is an answer of somebody with roles.
func (w *world) answerAs(id, by string, a ask.Answer, roles ...string) (gate.Answered, error) {
	a.By, a.Surface, a.Roles, a.ConfirmID = by, "test", roles, id
	return w.gate.Answer(context.Background(), id, a)
}

// TestT27_WhoMayAnswer: bystanders and whoever triggered the call change nothing and
// have a row in the audit each; the same person twice counts once; two of those who
// may let the call go on, and a vote after the end changes nothing.
func TestT27_WhoMayAnswer(t *testing.T) {
	w := newWorld(t, team)
	asked, done := w.start(worker, call("x"))
	yes := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent}
	for range 2 {
		if _, err := w.answerAs(asked.ID, "eve", yes, "viewer"); !errors.Is(err, ask.ErrNotApprover) {
			t.Errorf("a bystander: got %v", err)
		}
	}
	if _, err := w.answerAs(asked.ID, "dev", yes, "ops"); !errors.Is(err, ask.ErrNotApprover) || !strings.Contains(err.Error(), "dev triggered the call") {
		t.Errorf("whoever triggered it: got %v", err)
	}
	if rows := w.eventsOf(store.EventAnswerRefused); len(rows) != 2 || rows[0].DecidedBy != "eve" || rows[1].DecidedBy != "dev" || rows[0].User != "dev" {
		t.Errorf("audit: got %+v, want a row for each of two", rows)
	}
	for range 2 {
		if out, err := w.answerAs(asked.ID, "ann", yes, "admin"); err != nil || out.Ask.State != ask.Shown || len(out.Rules) > 0 {
			t.Fatalf("the first vote: got %s, %v, %v", out.Ask.State, out.Rules, err)
		}
	}
	if rows := w.eventsOf(store.EventAskVoted); len(rows) != 2 || rows[0].DecidedBy != "ann" || rows[0].AskID != asked.ID || !strings.Contains(rows[0].Detail, "1 of 2 approved: ann") {
		t.Errorf("audit: got %+v, want a row for each vote", rows)
	}
	out, err := w.answerAs(asked.ID, "olga", yes, "ops")
	if err != nil || out.Ask.State != ask.Approved || len(out.Rules) != 1 || out.Rules[0].CreatedBy != "ann, olga" {
		t.Fatalf("the second vote: got %s, %+v, %v", out.Ask.State, out.Rules, err)
	}
	if res := <-done; res.Decision.Behavior != engine.Allow || res.DecidedBy != "ann, olga" || w.lastRow().DecidedBy != "ann, olga" {
		t.Errorf("got %s by %q, audited as by %q", res.Decision.Behavior, res.DecidedBy, w.lastRow().DecidedBy)
	}
	if _, err := w.answerAs(asked.ID, "pete", ask.Answer{}, "ops"); !errors.Is(err, ask.ErrSettled) {
		t.Errorf("after the end: got %v, want ErrSettled", err)
	}
}

// TestT27_settledAsksHaveTheirOwnApprovers: a rule that its approver may accept on one
// card answers no ask that they may not.
func TestT27_settledAsksHaveTheirOwnApprovers(t *testing.T) {
	w := newWorld(t, strings.Replace(team, "quorum: 2, exclude_requester: true", "quorum: 1", 1))
	w.tool.prefixes = true
	guarded, held := w.start(worker, call("x1"))
	r := call("x1")
	r.Context.Session = "s2"
	open, done := w.start(gate.Caller{Token: "check:alone", Agent: "alone"}, r)
	w.broker.MarkSeen(guarded.ID, "eve")
	*w.settings = *w.parse("people: {dev: {roles: [developer]}}\nagents: {worker: {user: dev}, alone: {user: dev}}") // the ask keeps what it began with
	out, err := w.answerAs(open.ID, "eve", ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Global})
	if err != nil || len(out.Rules) != 1 || len(out.AlsoAnswered) > 0 {
		t.Errorf("got rules %v, also answered %v, %v, want one rule and nothing else answered", out.Rules, out.AlsoAnswered, err)
	}
	<-done
	if got, err := w.gate.Answer(context.Background(), guarded.ID, ask.Answer{By: "dev"}); err != nil || got.Ask.State != ask.Denied {
		t.Errorf("whoever triggered it takes it back: got %s, %v", got.Ask.State, err)
	}
	<-held
}

// TestAnswers_atOnce: of many answers at once one wins, and the call goes on only when
// the rule that one accepted is stored.
func TestAnswers_atOnce(t *testing.T) {
	w := newWorld(t, "")
	for i := range 20 {
		asked, done := w.start(worker, call(fmt.Sprint("v", i)))
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				_, err := w.answerAs(asked.ID, fmt.Sprint("p", n), ask.Answer{Verdict: ask.Approve, Sets: []int{1}, Scope: engine.Agent})
				if err != nil && !errors.Is(err, ask.ErrSettled) {
					t.Error(err)
				}
			})
		}
		res := <-done
		rules, err := w.store.Rules(context.Background(), store.RuleFilter{})
		if err != nil || res.Decision.Rule == nil || len(rules) != i+1 {
			t.Fatalf("call %d went on with %d rules stored, by %s (%v)", i, len(rules), res.Decision.Reason, err)
		}
		all.Wait()
	}
}
