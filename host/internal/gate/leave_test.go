package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const planners = `
people: {ann: {administrator: true}, bob: {}}
agents:
  worker: {mode: explore, user: ann}
  junior: {mode: explore, user: bob}
  free: {mode: default, user: bob}
  loose: {mode: accept_edits, user: ann}
`

func exit(agent, tool, input string) (authority.Caller, wire.Request) {
	return authority.Caller{Token: "check:" + agent, Agent: agent},
		wire.Request{Tool: tool, Input: []byte(input), Context: wire.CallContext{Session: "s-" + agent}}
}

// TestLeaveExplore: a person is asked, and on approval the gate itself changes the session's
// mode, with a row in the audit.
func TestLeaveExplore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, tool, input string }{
		{"ExitPlanMode", "ExitPlanMode", `{"value":"the plan"}`},
		{"the seed's tool", "PlanMode", `{"action":"exit"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, planners)
			w.Tool.ReadOnly = true
			c, r := exit("worker", tc.tool, tc.input)
			a, done := w.Start(c, r)
			if want := "the agent asks to leave mode explore into mode default"; a.Decision.Reason != want || a.Decision.Code != gate.CodeLeaveExplore || !a.Decision.BypassImmune {
				t.Errorf("got the ask %q %s, want %q", a.Decision.Reason, a.Decision.Code, want)
			}
			w.Answer(a.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: a.ID})
			if res := <-done; res.Decision.Behavior != engine.Allow || res.Outcome != store.AskApproved || !strings.Contains(res.Decision.Reason, "in mode default") {
				t.Errorf("got %s %s (%s)", res.Decision.Behavior, res.Outcome, res.Decision.Reason)
			}
			s, err := w.Store.Session(t.Context(), "s-worker")
			if err != nil || s.Mode == nil || *s.Mode != engine.DefaultMode {
				t.Errorf("the session: got mode %v, %v, want default", s.Mode, err)
			}
			found := false
			for row, err := range w.Store.Audit(t.Context(), store.Filter{Event: store.EventSessionMode}) {
				found = found || err == nil && row.DecidedBy == "ann"
			}
			if !found {
				t.Error("the audit does not tell who changed the mode")
			}
		})
	}
}

// TestLeaveExplore_nobodyNamed: where the configuration names no people, the approver of asks
// decides; nothing but that answer leaves explore.
func TestLeaveExplore_nobodyNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: explore}, alone: {mode: explore, user: ann}}\n")
	w.Tool.ReadOnly = true
	for _, agent := range []string{"worker", "alone"} {
		for verdict, want := range map[ask.Verdict]engine.Behavior{ask.Deny: engine.Deny, ask.Approve: engine.Allow} {
			c, r := exit(agent, "ExitPlanMode", `{"value":"`+fmt.Sprint(verdict)+`"}`)
			a, done := w.Start(c, r)
			w.Answer(a.ID, ask.Answer{Verdict: verdict, ConfirmID: a.ID})
			if res := <-done; res.Decision.Behavior != want {
				t.Errorf("%s, %s: got %s (%s), want %s", agent, verdict, res.Decision.Behavior, res.Decision.Reason, want)
			}
			s, err := w.Store.Session(t.Context(), "s-"+agent)
			if left := err == nil && s.Mode != nil && *s.Mode == engine.DefaultMode; left != (want == engine.Allow) {
				t.Errorf("%s, %s: got mode %v, %v", agent, verdict, s.Mode, err)
			}
			if want == engine.Allow { // back, for the other answer
				mode := engine.Explore
				if err := w.Gate.SetMode(t.Context(), "s-"+agent, &mode, "ann"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// TestLeaveExplore_denied: there is no ask where the trigger may not grant the mode, in the
// background, and for sub-agents; a denial changes nothing.
func TestLeaveExplore_denied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.Tool.ReadOnly = true
	for _, tc := range []struct {
		name, agent string
		with        func(*wire.Request)
		says        string
	}{
		{"may not grant", "junior", func(*wire.Request) {}, "it would leave mode explore: "},
		{"background", "worker", func(r *wire.Request) { r.Context.Kind = "background" }, "a background session may not ask"},
		{"a sub-agent", "worker", func(r *wire.Request) { r.Context.SubAgent = "Explore (a1)" }, "a sub-agent may not change the mode"},
		{"a child", "worker", func(r *wire.Request) { r.Context.Child = &wire.Child{} }, "a sub-agent may not change the mode"},
	} {
		c, r := exit(tc.agent, "ExitPlanMode", `{"value":"x"}`)
		tc.with(&r)
		if res := w.Check(c, r); res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Message, tc.says) {
			t.Errorf("%s: got %s (%s), want a denial saying %q", tc.name, res.Decision.Behavior, res.Decision.Message, tc.says)
		}
	}
	c, r := exit("worker", "ExitPlanMode", `{"value":"x"}`)
	a, done := w.Start(c, r)
	w.Answer(a.ID, ask.Answer{Verdict: ask.Deny})
	<-done
	if s, err := w.Store.Session(t.Context(), "s-worker"); err != nil || s.Mode != nil {
		t.Errorf("after a denial: got mode %v, %v, want none of its own", s.Mode, err)
	}
}

// TestLeaveExplore_free: the client may leave its own planning mode, and entering is no
// leaving.
func TestLeaveExplore_free(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.Tool.ReadOnly = true
	c, r := exit("free", "ExitPlanMode", `{"value":"x"}`)
	r.Context.Mode = "plan"
	if res := w.Check(c, r); res.Outcome != store.Allowed {
		t.Errorf("the client's own plan: got %s (%s)", res.Outcome, res.Decision.Reason)
	}
	c, r = exit("worker", "PlanMode", `{"action":"enter"}`)
	if res := w.Check(c, r); res.Outcome != store.Allowed {
		t.Errorf("enter: got %s (%s)", res.Outcome, res.Decision.Reason)
	}
}

// TestLeaveExplore_session: a session put into explore by a person goes back to its agent's
// mode; with a callback, the callback answers.
func TestLeaveExplore_session(t *testing.T) {
	t.Parallel()
	w := newWorld(t, planners)
	w.Tool.ReadOnly = true
	parts := w.Parts(w.Broker)
	parts.Callback = func(string) gate.Callback { return answers(allowing) }
	g, err := assembly.NewGate(parts)
	if err != nil {
		t.Fatal(err)
	}
	w.Gate = g
	c, r := exit("loose", "Probe", `{"value":"x"}`)
	w.Check(c, r)
	mode := engine.Explore
	if err := w.Gate.SetMode(t.Context(), "s-loose", &mode, "ann"); err != nil {
		t.Fatal(err)
	}
	r.Tool = "ExitPlanMode"
	if res := w.Check(c, r); res.Outcome != store.AskApproved || res.DecidedBy != "callback fake" {
		t.Errorf("got %s by %q (%s)", res.Outcome, res.DecidedBy, res.Decision.Reason)
	}
	if s, err := w.Store.Session(t.Context(), "s-loose"); err != nil || s.Mode == nil || *s.Mode != engine.AcceptEdits {
		t.Errorf("got mode %v, %v, want accept_edits", s.Mode, err)
	}
}
