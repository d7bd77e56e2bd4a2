package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

const planners = `
people: {ann: {administrator: true}, bob: {}}
agents:
  worker: {mode: explore, user: ann}
  junior: {mode: explore, user: bob}
  free: {mode: default, user: bob}
  loose: {mode: accept_edits, user: ann}
`

func exit(agent, tool, input string) (gate.Caller, gate.Request) {
	return gate.Caller{Token: "check:" + agent, Agent: agent},
		gate.Request{Tool: tool, Input: []byte(input), Context: gate.Claim{Session: "s-" + agent}}
}

// TestLeaveExplore: a person is asked, and on approval the gate itself changes the
// session's mode, which the audit tells.
func TestLeaveExplore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, tool, input string }{
		{"ExitPlanMode", "ExitPlanMode", `{"value":"the plan"}`},
		{"the seed's tool", "PlanMode", `{"action":"exit"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, planners)
			w.tool.readOnly = true
			c, r := exit("worker", tc.tool, tc.input)
			a, done := w.start(c, r)
			if want := "the agent asks to leave mode explore into mode default"; a.Decision.Reason != want || a.Decision.Code != gate.CodeLeaveExplore || !a.Decision.BypassImmune {
				t.Errorf("got the ask %q %s, want %q", a.Decision.Reason, a.Decision.Code, want)
			}
			w.answer(a.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: a.ID})
			if res := <-done; res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved || !strings.Contains(res.Decision.Reason, "in mode default") {
				t.Errorf("got %s %s (%s)", res.Decision.Behavior, res.Outcome, res.Decision.Reason)
			}
			s, err := w.store.Session(t.Context(), "s-worker")
			if err != nil || s.Mode == nil || *s.Mode != engine.DefaultMode {
				t.Errorf("the session: got mode %v, %v, want default", s.Mode, err)
			}
			found := false
			for row, err := range w.store.Audit(t.Context(), store.Filter{Event: store.EventSessionMode}) {
				found = found || err == nil && row.DecidedBy == "ann"
			}
			if !found {
				t.Error("the audit does not tell who changed the mode")
			}
		})
	}
}

// TestLeaveExplore_denied: nobody is asked where whoever triggered the call may not
// grant the mode, in the background, and for sub-agents; a denial changes nothing.
func TestLeaveExplore_denied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.tool.readOnly = true
	for _, tc := range []struct {
		name, agent string
		with        func(*gate.Request)
		says        string
	}{
		{"may not grant", "junior", func(*gate.Request) {}, "it would leave mode explore: "},
		{"background", "worker", func(r *gate.Request) { r.Context.Kind = "background" }, "a background session may not ask"},
		{"a sub-agent", "worker", func(r *gate.Request) { r.Context.SubAgent = "Explore (a1)" }, "a sub-agent may not change the mode"},
		{"a child", "worker", func(r *gate.Request) { r.Context.Child = &gate.ChildClaim{} }, "a sub-agent may not change the mode"},
	} {
		c, r := exit(tc.agent, "ExitPlanMode", `{"value":"x"}`)
		tc.with(&r)
		if res := w.check(c, r); res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Message, tc.says) {
			t.Errorf("%s: got %s (%s), want a denial saying %q", tc.name, res.Decision.Behavior, res.Decision.Message, tc.says)
		}
	}
	c, r := exit("worker", "ExitPlanMode", `{"value":"x"}`)
	a, done := w.start(c, r)
	w.answer(a.ID, ask.Answer{Verdict: ask.Deny})
	<-done
	if s, err := w.store.Session(t.Context(), "s-worker"); err != nil || s.Mode != nil {
		t.Errorf("after a denial: got mode %v, %v, want none of its own", s.Mode, err)
	}
}

// TestLeaveExplore_free: what only the client calls planning is the client's to
// leave, and entering is no leaving.
func TestLeaveExplore_free(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.tool.readOnly = true
	c, r := exit("free", "ExitPlanMode", `{"value":"x"}`)
	r.Context.Mode = "plan"
	if res := w.check(c, r); res.Outcome != store.Allowed {
		t.Errorf("the client's own plan: got %s (%s)", res.Outcome, res.Decision.Reason)
	}
	c, r = exit("worker", "PlanMode", `{"action":"enter"}`)
	if res := w.check(c, r); res.Outcome != store.Allowed {
		t.Errorf("enter: got %s (%s)", res.Outcome, res.Decision.Reason)
	}
}

// TestLeaveExplore_session: a session that a person put into explore goes back to its
// agent's mode; with a callback, that answers.
func TestLeaveExplore_session(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.tool.readOnly = true
	parts := w.partsWith(w.broker)
	parts.Callback = func(string) gate.Callback { return answers(allowing) }
	g, err := gate.New(parts)
	if err != nil {
		t.Fatal(err)
	}
	w.gate = g
	c, r := exit("loose", "Probe", `{"value":"x"}`)
	w.check(c, r)
	mode := engine.Explore
	if err := w.gate.SetMode(t.Context(), "s-loose", &mode, "ann"); err != nil {
		t.Fatal(err)
	}
	r.Tool = "ExitPlanMode"
	if res := w.check(c, r); res.Outcome != store.AskApproved || res.DecidedBy != "callback fake" {
		t.Errorf("got %s by %q (%s)", res.Outcome, res.DecidedBy, res.Decision.Reason)
	}
	if s, err := w.store.Session(t.Context(), "s-loose"); err != nil || s.Mode == nil || *s.Mode != engine.AcceptEdits {
		t.Errorf("got mode %v, %v, want accept_edits", s.Mode, err)
	}
}
