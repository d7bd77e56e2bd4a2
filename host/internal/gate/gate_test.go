package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

func TestAskOnceThenTheStoredRuleAllows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	shown, done := w.Start(worker, call("build"))
	if got := len(shown.Decision.Suggestions); got != 1 {
		t.Fatalf("suggestions: got %d, want 1", got)
	}
	answered := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{shown.Decision.Suggestions[0].Set}, ConfirmID: shown.ID})
	if len(answered.Rules) != 1 || answered.Rules[0].String() != "Probe(build)" {
		t.Fatalf("stored rules: got %v, want Probe(build)", answered.Rules)
	}
	res := <-done
	if res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved || res.DecidedBy != "ann" {
		t.Fatalf("got %+v, want an allow approved by ann", res)
	}
	again := w.Check(worker, call("build"))
	if again.Decision.Behavior != engine.Allow || again.Decision.Stage != engine.StageAllowRule {
		t.Fatalf("the identical call: got %+v, want allow by the stored rule", again.Decision)
	}
	if row := w.LastRow(); row.Seq != again.AuditSeq || row.RuleID != answered.Rules[0].ID || row.Decision != store.Allowed {
		t.Errorf("audit row: got %+v, want %d by rule %s", row, again.AuditSeq, answered.Rules[0].ID)
	}
}

func TestForThisSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	shown, done := w.Start(worker, call("build"))
	answered := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, ForSession: true})
	if len(answered.Rules) != 1 || answered.Rules[0].Scope != engine.Session || answered.Rules[0].String() != "Probe(build)" {
		t.Fatalf("stored rules: got %v, want the first suggestion for the session", answered.Rules)
	}
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Fatalf("got %+v, want allow", res.Decision)
	}
	if res := w.Check(worker, call("build")); res.Decision.Stage != engine.StageAllowRule {
		t.Errorf("the same session: got %+v, want the grant", res.Decision)
	}
	other := call("build")
	other.Context.Session = "s2"
	if d := w.evaluate(other); d.Behavior == engine.Allow {
		t.Errorf("another session: got %+v, want no allow", d)
	}
}

// TestOnceSessionOrAlways: the three answers of docs/seeds.md, "1. Session-scoped
// Approval Cache", and how far each of them reaches.
func TestOnceSessionOrAlways(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                      string
		answer                    func(shown ask.Ask) ask.Answer
		again, elsewhere, cleared engine.Behavior // the same session, another one, the same one after clear
	}{
		{"this operation only", func(ask.Ask) ask.Answer { return ask.Answer{Verdict: ask.Approve} }, engine.Ask, engine.Ask, engine.Ask},
		{"all operations this session", func(ask.Ask) ask.Answer { return ask.Answer{Verdict: ask.Approve, ForSession: true} }, engine.Allow, engine.Ask, engine.Ask},
		{"always", func(shown ask.Ask) ask.Answer {
			return ask.Answer{Verdict: ask.Approve, Sets: []int{shown.Decision.Suggestions[0].Set}, ConfirmID: shown.ID}
		}, engine.Allow, engine.Allow, engine.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, twoDirsOf(t))
			shown, done := w.Start(worker, call("build"))
			w.Answer(shown.ID, tc.answer(shown))
			if res := <-done; res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved {
				t.Fatalf("got %+v, want an approval", res)
			}
			other := call("build")
			other.Context.Session = "s2"
			if again, elsewhere := w.evaluate(call("build")).Behavior, w.evaluate(other).Behavior; again != tc.again || elsewhere != tc.elsewhere {
				t.Errorf("got %s again and %s in another session, want %s and %s", again, elsewhere, tc.again, tc.elsewhere)
			}
			if _, err := w.Gate.ClearSession(context.Background(), "s1", "ann"); err != nil {
				t.Fatal(err)
			}
			if got := w.evaluate(call("build")).Behavior; got != tc.cleared {
				t.Errorf("after clear: got %s, want %s", got, tc.cleared)
			}
		})
	}
}

func twoDirsOf(t *testing.T) string {
	t.Helper()
	return fmt.Sprintf(twoDirs, t.TempDir())
}

func TestRefusalsAreAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	shown, done := w.Start(worker, call("deploy"))
	w.Answer(shown.ID, ask.Answer{Reason: "use staging"})
	res := <-done
	if res.Decision.Behavior != engine.Deny || res.Outcome != store.AskDenied || !strings.Contains(res.Decision.Message, "use staging") {
		t.Errorf("denied: got %+v", res)
	}
	if row := w.LastRow(); row.Decision != store.AskDenied || row.DecidedBy != "ann" {
		t.Errorf("row: got %s by %q", row.Decision, row.DecidedBy)
	}
	_, done = w.Start(worker, call("other"))
	if n, err := w.Gate.InterruptSession(context.Background(), "s1", "ann"); n != 1 || err != nil {
		t.Fatalf("interrupt: got %d, %v", n, err)
	}
	if res := <-done; res.Outcome != store.AskCancelled || res.Decision.Behavior != engine.Deny {
		t.Errorf("interrupted: got %+v", res)
	}
}

func TestExitForkLeavesTheMainConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	forked := call("forked")
	forked.Context.Kind = string(engine.InteractiveFork)
	for _, tt := range []struct {
		call    wire.Request
		want    int
		outcome store.Outcome
	}{{forked, 1, store.AskCancelled}, {call("main"), 0, store.AskApproved}} {
		shown, done := w.Start(worker, tt.call)
		if n, err := w.Gate.ExitFork(context.Background(), "s1", "ann"); n != tt.want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", tt.call.Input, n, err, tt.want)
		}
		if tt.want == 0 {
			w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
		}
		if res := <-done; res.Outcome != tt.outcome {
			t.Errorf("%s: got %s, want %s", tt.call.Input, res.Outcome, tt.outcome)
		}
	}
}

func TestNobodyToAskDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	deaf := ask.New(ask.Config{Store: w.Store})
	t.Cleanup(deaf.Close)
	g, err := assembly.NewGate(w.Parts(deaf))
	if err != nil {
		t.Fatal(err)
	}
	res, err := g.Check(context.Background(), worker, call("x"), nil)
	if err != nil || res.Decision.Behavior != engine.Deny || res.Decision.ConvertedBy != engine.CodeNoApprover {
		t.Errorf("got %+v, %v; want a denial by no_approver", res.Decision, err)
	}
	if !strings.Contains(res.Decision.Message, "asks watch") {
		t.Errorf("message %q does not say how to attach an approver", res.Decision.Message)
	}
}

func TestApprovalIsForWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	shown, done := w.Start(worker, call("x"))
	content := "x"
	if _, _, err := w.Gate.AddRule(context.Background(), "ann", engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Deny, Scope: engine.Global}); err != nil {
		t.Fatal(err)
	}
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
	if res := <-done; res.Decision.Behavior != engine.Deny || res.Decision.Stage != engine.StageDenyRule {
		t.Errorf("a deny rule stored meanwhile: got %+v, want deny by it", res.Decision)
	}
}

func TestChangedAskIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	var reason atomic.Value
	reason.Store("first")
	w.Tool.Check = func(*engine.Call) engine.Verdict {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: reason.Load().(string)}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	events := w.Broker.Subscribe(ctx)
	shown, done := w.Start(worker, call("x"))
	reason.Store("second")
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: shown.ID})
	var again ask.Ask
	for ev := range events {
		if ev.Kind == ask.EventShown && ev.Ask.ID != shown.ID {
			again = ev.Ask
			break
		}
	}
	if len(again.Changed) == 0 || !strings.Contains(again.Changed[0], "second") {
		t.Fatalf("the new ask says %q, want what changed", again.Changed)
	}
	w.Answer(again.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: again.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Errorf("approved twice: got %+v, want allow", res.Decision)
	}
}

func TestAcceptingARuleAnswersWhatItCovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	first, firstDone := w.Start(worker, call("build"))
	second := call("build")
	second.Context.Session = "s2"
	other, otherDone := w.Start(worker, second)
	w.Broker.MarkSeen(other.ID, "ann")
	unseen := call("build")
	unseen.Context.Session = "s3"
	third, thirdDone := w.Start(worker, unseen)
	answered := w.Answer(first.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ConfirmID: first.ID})
	if len(answered.AlsoAnswered) != 1 || answered.AlsoAnswered[0] != other.ID {
		t.Fatalf("also answered: got %v, want only %s, whose card ann had seen", answered.AlsoAnswered, other.ID)
	}
	for i, done := range []<-chan wire.Result{firstDone, otherDone} {
		if res := <-done; res.Decision.Behavior != engine.Allow {
			t.Errorf("call %d: got %+v, want allow", i, res.Decision)
		}
	}
	w.Answer(third.ID, ask.Answer{})
	if res := <-thirdDone; res.Decision.Behavior != engine.Deny {
		t.Errorf("the unseen card was denied by its own answer: got %+v", res.Decision)
	}
}

func TestAskSurvivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	r := call("build")
	r.CallID = "toolu_1"
	shown, done := w.Start(worker, r)
	w.Broker.Close()
	if res := <-done; res.Decision.Behavior != engine.Deny {
		t.Errorf("the daemon went down: got %+v, want a denial", res.Decision)
	}
	if n := w.Decisions(); n != 0 {
		t.Errorf("the daemon went down: got %d decisions in the audit, want none: the ask still waits", n)
	}
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.Open()
	waiting := w.Broker.Waiting(ask.Filter{})
	if len(waiting) != 1 || waiting[0].ID != shown.ID {
		t.Fatalf("after the restart: got %v, want ask %s waiting", waiting, shown.ID)
	}
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
	if res := w.Check(worker, r); res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved {
		t.Errorf("the client came back: got %+v, want the stored approval", res)
	}
	twin := r
	twin.Input = []byte(`{"value":"other"}`)
	if res := w.Check(worker, twin); res.Decision.Behavior != engine.Deny {
		t.Errorf("same call id, other input: got %+v, want deny", res.Decision)
	}
}

// An approval given while its client was away allowed the call in any later form: it was
// compared with the call, not with the card.
func TestStoredApprovalIsForWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	r := call("build")
	r.CallID = "toolu_1"
	shown, done := w.Start(worker, r)
	w.Broker.Close()
	<-done
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	w.Tool.Check = func(*engine.Call) engine.Verdict {
		return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "it leads out of the project now"}
	}
	w.Open()
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
	again, done := w.Start(worker, r)
	if !again.Decision.BypassImmune || len(again.Changed) == 0 {
		t.Errorf("the new ask: got %+v, want the safety check and what changed", again)
	}
	w.Answer(again.ID, ask.Answer{})
	if res := <-done; res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, want the second answer's denial", res)
	}
}

// A call outlived its own time-out in the queue: the time began to count only when its card was
// shown.
func TestTimeoutCountsInTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	first, done := w.Start(worker, call("first"))
	queued := call("queued")
	queued.Timeout = 20 * time.Millisecond
	if res := w.Check(worker, queued); res.Outcome != store.AskTimeout || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, want a time-out", res)
	}
	w.Answer(first.ID, ask.Answer{Verdict: ask.Approve})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Errorf("the first: got %+v, want allow", res)
	}
}

func TestBadRequestsAreDeniedAndAudited(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*wire.Request)
		want   error
		says   string
	}{
		"no tool":         {func(r *wire.Request) { r.Tool = "" }, authority.ErrBadRequest, "tool"},
		"no input":        {func(r *wire.Request) { r.Input = nil }, authority.ErrBadRequest, "input"},
		"list input":      {func(r *wire.Request) { r.Input = []byte(`[]`) }, authority.ErrBadRequest, "object"},
		"duplicate key":   {func(r *wire.Request) { r.Input = []byte(`{"a":1,"a":2}`) }, authority.ErrBadRequest, "duplicate"},
		"invalid UTF-8":   {func(r *wire.Request) { r.Input = []byte("{\"a\":\"\xff\"}") }, authority.ErrBadRequest, "UTF-8"},
		"lone surrogate":  {func(r *wire.Request) { r.Input = []byte(`{"a":"\ud800"}`) }, authority.ErrBadRequest, "surrogate"},
		"trailing":        {func(r *wire.Request) { r.Input = []byte(`{} {}`) }, authority.ErrBadRequest, "after"},
		"too large":       {func(r *wire.Request) { r.Input = []byte(`{"a":"` + strings.Repeat("x", strictjson.MaxObject) + `"}`) }, authority.ErrBadRequest, "at most"},
		"unknown mode":    {func(r *wire.Request) { r.Context.Mode = "yolo" }, authority.ErrBadRequest, "context.mode"},
		"auto":            {func(r *wire.Request) { r.Context.Mode = "auto" }, authority.ErrBadRequest, "reserved"},
		"unknown kind":    {func(r *wire.Request) { r.Context.Kind = "side" }, authority.ErrBadRequest, "context.kind"},
		"relative cwd":    {func(r *wire.Request) { r.Context.CWD = "src" }, authority.ErrBadRequest, "context.cwd"},
		"endless session": {func(r *wire.Request) { r.Context.Session = strings.Repeat("s", 1025) }, authority.ErrBadRequest, "context.session"},
		"NUL in a name":   {func(r *wire.Request) { r.CallID = "a\x00b" }, authority.ErrBadRequest, "call_id"},
		"endless cwd":     {func(r *wire.Request) { r.Context.CWD = strings.Repeat("/d", 2049) }, authority.ErrBadRequest, "context.cwd"},
		"shared session":  {func(r *wire.Request) { r.Context.Session = "-/check:loose/loose" }, authority.ErrBadRequest, "reserved for Callgate"},
		"another's agent": {func(r *wire.Request) { r.Context.Agent = "loose" }, authority.ErrNotEntitled, "belongs to"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, twoDirsOf(t))
			r := call("x")
			c.change(&r)
			res, err := w.Gate.Check(context.Background(), worker, r, nil)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error: got %v, want %v saying %q", err, c.want, c.says)
			}
			if res.Decision.Behavior != engine.Deny {
				t.Errorf("got %+v, want deny", res.Decision)
			}
			if row := w.LastRow(); row.Seq != res.AuditSeq || row.Decision != store.Denied {
				t.Errorf("row: got %+v, want the denial", row)
			}
		})
	}
}

func TestEvaluateChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	res, err := w.Gate.Evaluate(context.Background(), worker, call("x"))
	if err != nil || res.Decision.Behavior != engine.Ask || len(res.Decision.Suggestions) == 0 {
		t.Fatalf("got %+v, %v; want an ask with suggestions", res.Decision, err)
	}
	if sessions, err := w.Gate.Sessions(context.Background(), store.SessionFilter{}); err != nil || len(sessions) != 0 {
		t.Errorf("sessions: got %v, %v; want none", sessions, err)
	}
	for row, err := range w.Store.Audit(context.Background(), store.Filter{}) {
		t.Errorf("audit: got %+v, %v; want nothing", row, err)
	}
}
