package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func editable(id, value string) wire.Request {
	r := call(value)
	r.CallID, r.TakesInput, r.Reports = id, true, true
	return r
}

func changed(to string) ask.Answer {
	return ask.Answer{Verdict: ask.Approve, Input: json.RawMessage(`{"value":"` + to + `"}`)}
}

// nextAsk is an ask that waits beside the known one.
func (w *world) nextAsk(known string) ask.Ask {
	w.T.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, a := range w.Broker.Waiting(ask.Filter{State: ask.Shown}) {
			if a.ID != known {
				return a
			}
		}
	}
	w.T.Fatal("no further ask is shown")
	return ask.Ask{}
}

// TestEdit: a person changes the input, the changed call is allowed with it, both inputs
// are audited, and what ran is compared with the changed one.
func TestEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}")
	shown, done := w.Start(worker, editable("c1", "rm -rf build dist"))
	if !shown.TakesInput {
		t.Error("the ask does not tell that its client takes a changed input")
	}
	w.Answer(shown.ID, changed("rm -rf build"))
	res := <-done
	if res.Decision.Behavior != engine.Allow || string(res.Input) != `{"value":"rm -rf build"}` || res.DecidedBy != "ann" || res.Outcome != store.AskApproved {
		t.Fatalf("got %s %s with %s by %q, want the changed input allowed", res.Decision.Behavior, res.Outcome, res.Input, res.DecidedBy)
	}
	if row := w.LastRow(); row.Input != `{"value":"rm -rf build"}` {
		t.Errorf("the decision's row holds %s, want the changed input", row.Input)
	}
	found := false
	for row, err := range w.Store.Audit(context.Background(), store.Filter{Event: store.EventInputChanged}) {
		if err != nil {
			t.Fatal(err)
		}
		found = row.AskID == shown.ID && row.DecidedBy == "ann" && strings.Contains(row.Input, "rm -rf build dist") && strings.Contains(row.Input, `"rm -rf build"`)
	}
	if !found {
		t.Error("the audit has no row with both inputs")
	}
	ran := wire.Finished{CallID: "c1", Tool: "Probe", Input: json.RawMessage(`{"value":"rm -rf build"}`), Context: wire.CallContext{Session: "s1"}}
	if m, err := w.Gate.Finish(t.Context(), worker, ran); err != nil || !m.Match {
		t.Errorf("the changed call ran: got %+v, %v, want a match", m, err)
	}
	ran.Input = json.RawMessage(`{"value":"rm -rf build dist"}`)
	if m, err := w.Gate.Finish(t.Context(), worker, ran); err != nil || m.Match {
		t.Errorf("the first input ran: got %+v, %v, want a mismatch", m, err)
	}
}

// TestEdit_judgedAgain: a changed call is a new call: a deny rule denies it, a safety check
// is shown anew, and so is what its author could not see.
func TestEdit_judgedAgain(t *testing.T) {
	t.Parallel()
	const yaml = "agents: {worker: {}}\nrules: [{deny: 'Probe(bad)'}, {ask: 'Probe(asked)'}]"
	start := func(t *testing.T) (*world, ask.Ask, <-chan wire.Result) {
		w := newWorld(t, yaml)
		w.Tool.Check = func(c *engine.Call) engine.Verdict {
			if value(c) == "dangerous" {
				return engine.Verdict{Behavior: engine.Ask, BypassImmune: true, Reason: "it cannot be taken back"}
			}
			return engine.Verdict{Behavior: engine.Passthrough}
		}
		shown, done := w.Start(worker, editable("c1", "first"))
		return w, shown, done
	}
	t.Run("denied", func(t *testing.T) {
		t.Parallel()
		w, shown, done := start(t)
		w.Answer(shown.ID, changed("bad"))
		if res := <-done; res.Decision.Behavior != engine.Deny || res.Input != nil || res.Decision.Stage != engine.StageDenyRule || !strings.Contains(res.Decision.Message, "changed the input") {
			t.Errorf("got %+v with %s, want the deny rule's denial", res.Decision, res.Input)
		}
	})
	for name, to := range map[string]string{"a safety check": "dangerous", "an ask rule": "asked", "hidden letters": "ls \u202etxt", "too long": strings.Repeat("x", ask.MaxShownBytes+1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, shown, done := start(t)
			w.Answer(shown.ID, changed(to))
			second := w.nextAsk(shown.ID)
			if len(second.Changed) != 1 || !strings.Contains(second.Changed[0], "ann changed the input") || !strings.Contains(string(second.Input), to) {
				t.Errorf("the second card says %q about %.60s", second.Changed, second.Input)
			}
			w.Answer(second.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: second.ID})
			if res := <-done; res.Decision.Behavior != engine.Allow || !strings.Contains(string(res.Input), to) {
				t.Errorf("got %s with %.60s, want the changed input allowed", res.Decision.Behavior, res.Input)
			}
		})
	}
}

// TestEdit_refused: an edit is no way around what an approval needs.
func TestEdit_refused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}")
	plain := editable("c1", "x")
	plain.TakesInput = false
	shown, done := w.Start(worker, plain)
	refuse := func(a ask.Answer) {
		t.Helper()
		a.By = "ann"
		if _, err := w.Gate.Answer(t.Context(), shown.ID, a); !errors.Is(err, ask.ErrBadAnswer) {
			t.Errorf("%+v: got %v, want %v", a, err, ask.ErrBadAnswer)
		}
	}
	refuse(changed("y")) // the client cannot take it
	w.Answer(shown.ID, ask.Answer{})
	<-done
	shown, done = w.Start(worker, editable("c2", "y"))
	rule := changed("z")
	rule.ForSession, rule.WholeTool, rule.ConfirmID = true, true, shown.ID
	refuse(rule)
	deny := changed("z")
	deny.Verdict = ask.Deny
	refuse(deny)
	refuse(ask.Answer{Verdict: ask.Approve, Input: json.RawMessage(`{"a":1,"a":2}`)})
	refuse(ask.Answer{Verdict: ask.Approve, Input: json.RawMessage(`[]`)})
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
	if res := <-done; res.Decision.Behavior != engine.Allow || res.Input != nil {
		t.Errorf("approved as it is: got %s with %s, want no changed input", res.Decision.Behavior, res.Input)
	}
}

// TestEdit_lost: the changed input is not stored, so a call that comes back after its
// answer was lost is denied with the reason, and never runs as it was.
func TestEdit_lost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}")
	shown, done := w.Start(worker, editable("c1", "x"))
	w.Answer(shown.ID, changed("secret-word"))
	<-done
	if a, err := w.Broker.Get(t.Context(), shown.ID); err != nil || a.Answer == nil || !a.Answer.Edited || a.Answer.Input != nil {
		t.Errorf("the stored ask: got %+v, %v; want it edited and without the input", a.Answer, err)
	}
	if res := w.Check(worker, editable("c1", "x")); res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Reason, "approved it with another input") {
		t.Errorf("the call again: got %s: %s", res.Decision.Behavior, res.Decision.Reason)
	}
}

// TestAwayIsSaid: an approval whose client is gone, as after a crash, says so; one whose
// client waits does not.
func TestAwayIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {}}")
	said := func(a ask.AnswerResult) bool {
		return strings.Contains(strings.Join(a.Notes, "\n"), "its client is not connected")
	}
	shown, done := w.Start(worker, editable("c1", "x"))
	if out := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve}); said(out) {
		t.Errorf("its client waits: got notes %q", out.Notes)
	}
	<-done
	shown, _ = w.Start(worker, editable("c2", "y"))
	w.Close()
	w.Open()
	if out := w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve}); !said(out) {
		t.Errorf("its client is gone: got notes %q", out.Notes)
	}
	if res := w.Check(worker, editable("c2", "y")); res.Decision.Behavior != engine.Allow || res.DecidedBy != "ann" {
		t.Errorf("the call again: got %s by %q, want the approval", res.Decision.Behavior, res.DecidedBy)
	}
}
