package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// fakeCallback answers for a test, and keeps its questions.
type fakeCallback struct {
	decide func(ctx context.Context, n int, r wire.CallbackRequest) (engine.CallbackAnswer, error)
	mu     sync.Mutex
	asked  []wire.CallbackRequest
}

func (*fakeCallback) Name() string { return "callback fake" }

func (f *fakeCallback) Decide(ctx context.Context, r wire.CallbackRequest) (engine.CallbackAnswer, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	n := len(f.asked)
	f.mu.Unlock()
	return f.decide(ctx, n, r)
}

func answers(a engine.CallbackAnswer) *fakeCallback {
	return &fakeCallback{decide: func(context.Context, int, wire.CallbackRequest) (engine.CallbackAnswer, error) { return a, nil }}
}

// withCallback gives the world's gate a callback for the agent "worker", and keeps
// its notices.
func (w *world) withCallback(cb gate.Callback) func() []wire.Notice {
	w.T.Helper()
	var mu sync.Mutex
	var told []wire.Notice
	parts := w.Parts(w.Broker)
	parts.Callback = func(agent string) gate.Callback {
		if agent != "worker" || cb == nil {
			return nil
		}
		return cb
	}
	parts.Notify = func(n wire.Notice) { mu.Lock(); told = append(told, n); mu.Unlock() }
	g, err := assembly.NewGate(parts)
	if err != nil {
		w.T.Fatal(err)
	}
	w.Gate = g
	return func() []wire.Notice { mu.Lock(); defer mu.Unlock(); return append([]wire.Notice(nil), told...) }
}

var allowing = engine.CallbackAnswer{Behavior: engine.Allow}

// TestCallback: it answers a person's asks, and nothing else; the audit says so.
func TestCallback(t *testing.T) {
	t.Parallel()
	rules := "rules: [{deny: \"Probe(no)\"}, {allow: \"Probe(yes)\"}, {ask: \"Probe(rule)\"}]\n"
	for _, tc := range []struct {
		name, value string
		mode        string
		answer      engine.CallbackAnswer
		want        engine.Behavior
		outcome     store.Outcome
		asked       int
		says        string
	}{
		{"an ask, allowed", "x", "default", allowing, engine.Allow, store.AskApproved, 1, ""},
		{"an ask, denied", "x", "default", engine.CallbackAnswer{}, engine.Deny, store.AskDenied, 1, "denied by callback"},
		{"with a reason", "x", "default", engine.CallbackAnswer{Reason: "not on Fridays"}, engine.Deny, store.AskDenied, 1, "not on Fridays"},
		{"an unexpected value", "x", "default", engine.CallbackAnswer{Behavior: engine.Allow, Unexpected: "null"}, engine.Deny, store.AskDenied, 1, "unexpected callback result null, want allow"},
		{"passthrough", "x", "default", engine.CallbackAnswer{Behavior: engine.Passthrough}, engine.Deny, store.AskDenied, 1, ""},
		{"an ask rule", "rule", "bypass", allowing, engine.Allow, store.AskApproved, 1, ""},
		{"a deny rule", "no", "default", allowing, engine.Deny, store.Denied, 0, "deny rule"},
		{"an allow rule", "yes", "default", engine.CallbackAnswer{}, engine.Allow, store.Allowed, 0, ""},
		{"bypass", "x", "bypass", engine.CallbackAnswer{}, engine.Allow, store.Allowed, 0, ""},
		{"trusted", "x", "trusted", engine.CallbackAnswer{}, engine.Allow, store.Allowed, 0, ""},
		{"explore", "x", "explore", allowing, engine.Deny, store.Denied, 0, "mode explore"},
		{"dont_ask", "x", "dont_ask", allowing, engine.Deny, store.Denied, 0, "without an allow rule"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, rules+"agents: {worker: {mode: "+tc.mode+"}}\n")
			cb := answers(tc.answer)
			w.withCallback(cb)
			res := w.Check(worker, call(tc.value))
			if res.Decision.Behavior != tc.want || res.Outcome != tc.outcome || !strings.Contains(res.Decision.Message, tc.says) {
				t.Errorf("got %s %s (%s), want %s %s, saying %q", res.Decision.Behavior, res.Outcome, res.Decision.Message, tc.want, tc.outcome, tc.says)
			}
			if len(cb.asked) != tc.asked {
				t.Fatalf("it was asked %d times, want %d", len(cb.asked), tc.asked)
			}
			row := w.LastRow()
			if by := "callback fake"; row.Decision != tc.outcome || (row.DecidedBy == by) != (tc.asked > 0) {
				t.Errorf("the audit: got %s by %q", row.Decision, row.DecidedBy)
			}
			if len(w.Broker.Waiting(ask.Filter{})) != 0 {
				t.Error("an ask waits for people")
			}
			if tc.asked > 0 {
				r := cb.asked[0]
				if r.Tool != "Probe" || r.Context.Agent != "worker" || r.Context.Session != "s1" || r.Digest == "" || r.Reason == "" || r.CallID == "" || r.Deadline.IsZero() {
					t.Errorf("it was asked %+v, want the whole call", r)
				}
			}
		})
	}
}

// TestCallback_others: agents without one ask people, and background sessions ask no one.
func TestCallback_others(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {kind: background}}\n")
	cb := answers(allowing)
	w.withCallback(cb)
	if res := w.Check(worker, call("x")); res.Decision.Behavior != engine.Deny || res.Decision.ConvertedBy != engine.CodeBackground {
		t.Errorf("background: got %s by %s", res.Decision.Behavior, res.Decision.ConvertedBy)
	}
	r := call("x")
	r.Context.Session = "s2"
	a, done := w.Start(authority.Caller{Token: "check:other", Agent: "other"}, r)
	if a.ID == "" || len(cb.asked) != 0 {
		t.Errorf("another agent: the callback was asked %d times", len(cb.asked))
	}
	if _, err := w.Broker.Clear(t.Context(), a.Session); err != nil {
		t.Fatal(err)
	}
	<-done
}

// TestCallback_fails: errors, panics and the lack of an answer deny and say why.
func TestCallback_fails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		decide  func(ctx context.Context, n int, r wire.CallbackRequest) (engine.CallbackAnswer, error)
		outcome store.Outcome
		says    string
	}{
		{"an error", func(context.Context, int, wire.CallbackRequest) (engine.CallbackAnswer, error) {
			return allowing, errors.New("connection refused")
		}, store.AskDenied, "the callback approver gave no answer: connection refused"},
		{"a panic", func(context.Context, int, wire.CallbackRequest) (engine.CallbackAnswer, error) { panic("x") }, store.AskDenied, "it failed"},
		{"late", func(ctx context.Context, _ int, _ wire.CallbackRequest) (engine.CallbackAnswer, error) {
			<-ctx.Done()
			return allowing, ctx.Err()
		}, store.AskTimeout, "no answer in time"},
		{"deaf", func(context.Context, int, wire.CallbackRequest) (engine.CallbackAnswer, error) { select {} }, store.AskTimeout, "no answer in time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {worker: {}}\n")
			w.withCallback(&fakeCallback{decide: tc.decide})
			r := call("x")
			r.Timeout = time.Minute
			if tc.outcome == store.AskTimeout {
				r.Timeout = 20 * time.Millisecond
			}
			res := w.Check(worker, r)
			if res.Decision.Behavior != engine.Deny || res.Outcome != tc.outcome || !strings.Contains(res.Decision.Message, tc.says) {
				t.Errorf("got %s %s (%s), want deny %s saying %q", res.Decision.Behavior, res.Outcome, res.Decision.Message, tc.outcome, tc.says)
			}
		})
	}
}

// TestCallback_againWithChanges: an allowed call is decided again; a newer deny rule holds.
func TestCallback_againWithChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}\n")
	w.withCallback(&fakeCallback{decide: func(ctx context.Context, _ int, _ wire.CallbackRequest) (engine.CallbackAnswer, error) {
		_, err := w.Store.AddRule(ctx, engine.Rule{Tool: "Probe", Behavior: engine.Deny, Source: "test", Scope: engine.Global})
		return allowing, err
	}})
	if res := w.Check(worker, call("x")); res.Decision.Behavior != engine.Deny || res.Decision.Stage != engine.StageDenyRule {
		t.Errorf("got %s at %s, want the deny rule's", res.Decision.Behavior, res.Decision.Stage)
	}
}

// TestCallback_deniedCallComesBack: a denied call goes to it again, and not to people.
func TestCallback_deniedCallComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}\n")
	cb := answers(engine.CallbackAnswer{Reason: "no"})
	w.withCallback(cb)
	r := call("x")
	r.CallID, r.Reports = "toolu_1", true
	for range 2 {
		if res := w.Check(worker, r); res.Decision.Behavior != engine.Deny || res.Decision.ConvertedBy != engine.CodeCallback {
			t.Errorf("got %s by %s (%s)", res.Decision.Behavior, res.Decision.ConvertedBy, res.Decision.Reason)
		}
	}
	if len(cb.asked) != 2 {
		t.Errorf("it was asked %d times, want twice", len(cb.asked))
	}
}

// TestCallback_resumed: it counts as an attached approver.
func TestCallback_resumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: [{ask: Probe}]\nagents: {worker: {}}\n")
	w.withCallback(answers(allowing))
	r := call("x")
	r.Context.Resumed = true
	if res := w.Check(worker, r); res.Outcome != store.AskApproved {
		t.Errorf("got %s (%s), want its approval", res.Outcome, res.Decision.Reason)
	}
}

// TestCallback_many is for the race detector: more at once than there are places.
func TestCallback_many(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}\n")
	var mu sync.Mutex
	now, most := 0, 0
	w.withCallback(&fakeCallback{decide: func(context.Context, int, wire.CallbackRequest) (engine.CallbackAnswer, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		return allowing, nil
	}})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			if res, err := w.Gate.Check(t.Context(), worker, call(fmt.Sprint(i)), nil); err != nil || res.Outcome != store.AskApproved {
				t.Errorf("call %d: got %s, %v", i, res.Outcome, err)
			}
		})
	}
	all.Wait()
	if most > 64 {
		t.Errorf("it was asked %d times at once, want 64 at most", most)
	}
}

// TestNotices: asks and denials are told, with ExAthena's members, and nothing else.
func TestNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "rules: [{deny: \"Probe(no)\"}, {allow: \"Probe(yes)\"}]\nagents: {worker: {user: ann}, limited: {allowed_tools: [Read]}}\n")
	told := w.withCallback(answers(engine.CallbackAnswer{Reason: "not today"}))
	r := call("ask")
	r.CallID = "toolu_9"
	w.Check(worker, call("yes"))
	w.Check(worker, call("no"))
	w.Check(worker, r)
	w.Check(authority.Caller{Token: "check:limited", Agent: "limited"}, wire.Request{Tool: "Probe", Input: []byte(`{"value":"y"}`), Context: wire.CallContext{Session: "s2"}})
	if _, err := w.Gate.Check(t.Context(), worker, wire.Request{Tool: "Probe", Input: []byte(`[]`)}, nil); err == nil {
		t.Error("a list as input: got no error")
	}
	var got []string
	for _, n := range told() {
		got = append(got, n.Event+" "+n.Code)
		if n.ToolName != "Probe" || n.ID == "" || n.Reason == "" || n.Agent == "" {
			t.Errorf("got the notice %+v, want it whole", n)
		}
	}
	want := "PermissionDenied rule_matched, PermissionRequest mode_ask, PermissionDenied mode_ask, PermissionDenied not_in_allowlist, PermissionDenied bad_request"
	if s := strings.Join(got, ", "); s != want {
		t.Fatalf("got  %s\nwant %s", s, want)
	}
	all := told()
	if n := all[1]; n.Approver != "callback fake" || n.ToolUseID != "toolu_9" || string(n.Arguments) != `{"value":"ask"}` || n.User != "ann" || n.Session != "s1" {
		t.Errorf("the request: got %+v", n)
	}
	if n := all[2]; n.Reason != "not today" || n.Outcome != store.AskDenied || n.DecidedBy != "callback fake" || n.AuditSeq == 0 || n.Metadata.ConvertedBy != engine.CodeCallback {
		t.Errorf("the denial: got %+v", n)
	}
	if n := all[3]; len(n.Metadata.Permitted) != 1 || n.Metadata.Permitted[0] != "Read" || !strings.Contains(n.Message, "allowed tools are Read") {
		t.Errorf("the list's denial: got %+v", n)
	}
}
