package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store"
)

// listing makes ann an approver in a chat without named ones.
const listing = "people: {ann: {discord: " + annsAccount + "}}\n"

// TestAnswer_fromAChat: the audit has the form and place of an answer, before the row of its
// call.
func TestAnswer_fromAChat(t *testing.T) {
	t.Parallel()
	for _, v := range []ask.Verdict{ask.Approve, ask.Deny} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, listing+"agents: {worker: {user: joe}}\n")
			asked, done := w.Start(worker, call("x"))
			a := chat("ann", v, "dev", "ops")
			a.Reason, a.Origin.Latency = "because", 1500*time.Millisecond
			if out, err := w.Gate.Answer(t.Context(), asked.ID, a); err != nil || len(out.Notes) > 0 {
				t.Fatalf("got %v, %v", out.Notes, err)
			}
			<-done
			rows := w.EventsOf(store.EventAskAnswered)
			if len(rows) != 1 {
				t.Fatalf("got %d rows, want one", len(rows))
			}
			r := rows[0]
			for _, part := range []string{v.String() + ": because", "by button", "account " + annsAccount, `Ann\ufffd the first`, `roles ["dev" "ops"]`, "channel 412", "message 512", "interaction 612", "shown sha256 c0ffee"} {
				if !strings.Contains(strings.ReplaceAll(r.Detail, "\uFFFD", `\ufffd`), part) {
					t.Errorf("got %q, want %q in it", r.Detail, part)
				}
			}
			if r.DecidedBy != "ann" || r.User != "joe" || r.AskID != asked.ID || r.Digest != asked.Digest || r.Latency != a.Origin.Latency {
				t.Errorf("got %+v", r)
			}
			if last := w.LastRow(); v == ask.Approve && last.Seq < r.Seq || last.AskID != asked.ID {
				t.Errorf("the call's row is %d, before %d", last.Seq, r.Seq)
			}
		})
	}
}

// undone is a world with an approved ask and a rule from its answer.
func undone(t *testing.T, yaml string, scope engine.Scope) (*world, *atomic.Int64, ask.Ask, engine.Rule) {
	t.Helper()
	w := newWorld(t, yaml)
	ahead := &atomic.Int64{}
	parts := w.Parts(w.Broker)
	parts.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	var err error
	if w.Gate, err = assembly.NewGate(parts); err != nil {
		t.Fatal(err)
	}
	asked, done := w.Start(worker, call("x"))
	a := chat("ann", ask.Approve, "dev")
	a.Sets, a.Scope, a.ConfirmID = []int{1}, scope, asked.ID
	out, err := w.Gate.Answer(t.Context(), asked.ID, a)
	if err != nil || len(out.Rules) != 1 {
		t.Fatalf("got %v, %v", out.Rules, err)
	}
	<-done
	return w, ahead, out.Ask, out.Rules[0]
}

// TestUndoAnswer: approvers of an ask, and people who may change its rules, undo them for ten
// minutes, once, and no one else does.
func TestUndoAnswer(t *testing.T) {
	t.Parallel()
	const team = "permission_grants: {ops: ['rules:global']}\nagents: {worker: {user: joe, ask_approvers: {roles: [dev]}}}\n"
	person := func(name string, roles ...string) approvers.Person { return approvers.Person{Name: name, Roles: roles} }
	for _, tt := range []struct {
		name  string
		by    approvers.Person
		after time.Duration
		want  error
	}{
		{"who approved it", person("ann", "dev"), 0, nil},
		{"who approved it and has no role any more", person("ann"), 9*time.Minute + 30*time.Second, nil},
		{"who may approve the agent's calls", person("bob", "dev"), 0, nil},
		{"who may grant rules for everybody", person("cy", "ops"), 0, nil},
		{"a bystander", person("eve", "viewer"), 0, authority.ErrNotEntitled},
		{"whoever triggered the call", person("joe"), 0, authority.ErrNotEntitled},
		{"nobody", person("", "dev"), 0, authority.ErrNotEntitled},
		{"too late", person("ann", "dev"), gate.UndoFor + time.Second, gate.ErrUndoTooLate},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, ahead, a, rule := undone(t, team, engine.Agent)
			ahead.Store(int64(tt.after))
			rules, err := w.Gate.UndoAnswer(t.Context(), strings.ToUpper(a.ID), tt.by)
			if !errors.Is(err, tt.want) || (err == nil) != (len(rules) == 1 && rules[0].ID == rule.ID) {
				t.Fatalf("got %v, %v, want %v", rules, err, tt.want)
			}
			left, err := w.Store.Rules(t.Context(), store.RuleFilter{})
			if err != nil || (len(left) == 0) != (tt.want == nil) {
				t.Errorf("left are %v, %v", left, err)
			}
			if tt.want != nil {
				if rows := w.EventsOf(store.EventAnswerRefused); (len(rows) == 1) != errors.Is(tt.want, authority.ErrNotEntitled) {
					t.Errorf("audit: got %+v", rows)
				}
				return
			}
			if rows := w.EventsOf(store.EventAnswerUndone); len(rows) != 1 || rows[0].AskID != a.ID || rows[0].DecidedBy != tt.by.Name || !strings.Contains(rows[0].Detail, "Probe(x)") {
				t.Errorf("audit: got %+v", rows)
			}
			if rows := w.EventsOf(store.EventRuleRemoved); len(rows) != 1 || rows[0].DecidedBy != tt.by.Name {
				t.Errorf("audit: got %+v", rows)
			}
			if _, err := w.Gate.UndoAnswer(t.Context(), a.ID, tt.by); !errors.Is(err, gate.ErrNothingToUndo) {
				t.Errorf("again: got %v", err)
			}
			r := call("x")
			r.Context.Session = "s2"
			asked, done := w.Start(worker, r) // it asks again
			if _, err := w.AnswerAs(asked.ID, "joe", ask.Answer{Verdict: ask.Deny}); err != nil {
				t.Error(err)
			}
			<-done
		})
	}
}

// TestUndoAnswer_nothing: an answer without a rule of its own has nothing to undo; an earlier
// rule stays, and accepting it again gives a note.
func TestUndoAnswer_nothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, listing+"agents: {worker: {user: joe}}\n")
	ann := approvers.Person{Name: "ann"}
	accept := func(id string, ends time.Time) ask.AnswerResult {
		t.Helper()
		a := chat("ann", ask.Approve)
		a.Sets, a.Scope, a.ConfirmID, a.ExpiresAt = []int{1}, engine.Agent, id, ends
		out, err := w.Gate.Answer(t.Context(), id, a)
		if err != nil || len(out.Rules) != 1 {
			t.Fatalf("got %v, %v", out.Rules, err)
		}
		return out
	}
	undo := func(id string, want error) {
		t.Helper()
		if _, err := w.Gate.UndoAnswer(t.Context(), id, ann); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	first, one := w.Start(worker, call("x"))
	other := call("x")
	other.Context.Session = "s2"
	second, two := w.Start(worker, other) // ann was not shown it
	undo("zzzzzz", ask.ErrUnknown)
	undo(first.ID, gate.ErrNothingToUndo)
	before := accept(first.ID, time.Now().Add(time.Hour))
	again := accept(second.ID, time.Time{})
	if again.Rules[0].ID != before.Rules[0].ID || len(again.Notes) != 1 || !strings.Contains(again.Notes[0], "was there before (ask "+first.ID+")") {
		t.Errorf("the same rule: got %+v, notes %q", again.Rules, again.Notes)
	}
	<-one
	<-two
	undo(second.ID, gate.ErrNothingToUndo)
	if left, err := w.Store.Rules(t.Context(), store.RuleFilter{}); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
	undo(first.ID, nil)
	other.Context.Session = "s3"
	third, done := w.Start(worker, other)
	if _, err := w.Gate.Answer(t.Context(), third.ID, chat("ann", ask.Approve)); err != nil {
		t.Fatal(err)
	}
	<-done
	undo(third.ID, gate.ErrNothingToUndo)
}

// TestUndoAnswer_atOnce: of many who take back one answer at once, one does.
func TestUndoAnswer_atOnce(t *testing.T) {
	t.Parallel()
	w, _, a, _ := undone(t, listing+"agents: {worker: {user: joe}}\n", engine.Session)
	var did atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			rules, err := w.Gate.UndoAnswer(context.Background(), a.ID, approvers.Person{Name: "ann"})
			if err == nil && len(rules) == 1 {
				did.Add(1)
			} else if !errors.Is(err, gate.ErrNothingToUndo) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := did.Load(); got != 1 {
		t.Errorf("%d did, want one", got)
	}
	if rows := w.EventsOf(store.EventAnswerUndone); len(rows) != 1 {
		t.Errorf("audit: got %d rows", len(rows))
	}
}

// TestRulesOf: on hearing of an answer, its stored rules can be found.
func TestRulesOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, listing+"agents: {worker: {user: joe}}\n")
	events := w.Broker.Subscribe(t.Context())
	found := make(chan []engine.Rule, 1)
	go func() {
		for ev := range events {
			if ev.Kind == ask.EventAnswered {
				rules, err := w.Gate.RulesOf(t.Context(), ev.Ask.ID)
				if err != nil {
					t.Error(err)
				}
				found <- rules
				return
			}
		}
	}()
	asked, done := w.Start(worker, call("x"))
	a := chat("ann", ask.Approve)
	a.Sets, a.Scope, a.ConfirmID = []int{1}, engine.Agent, asked.ID
	if _, err := w.Gate.Answer(t.Context(), asked.ID, a); err != nil {
		t.Fatal(err)
	}
	<-done
	if rules := <-found; len(rules) != 1 || rules[0].Source != "ask "+asked.ID {
		t.Errorf("got %v", rules)
	}
}
