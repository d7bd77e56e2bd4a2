package gate_test

import (
	"context"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// TestT10_approvedProfileIsGivenOnce: an agent has a profile approved, a person takes
// it back, and the agent sends the same call under the same id, whose end it never
// reported, to have it again without anybody being asked.
func TestT10_approvedProfileIsGivenOnce(t *testing.T) {
	w := newWorld(t, chorus)
	boss := gate.Caller{Token: "check:boss", Agent: "boss"}
	r := selfEdit(`{"profile":"open"}`, gate.Claim{})
	r.CallID, r.Reports = "c1", true
	asked, done := w.start(boss, r)
	w.answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow || w.given("boss") != "open" {
		t.Fatalf("got %s, %q given, want open", res.Decision.Reason, w.given("boss"))
	}
	if err := w.gate.ResetProfile(context.Background(), "boss", "ann"); err != nil {
		t.Fatal(err)
	}
	if res := w.check(boss, r); res.Outcome != store.AskApproved {
		t.Errorf("the same call: got %s (%s), want the same answer", res.Outcome, res.Decision.Reason)
	}
	if got := w.given("boss"); got != "" {
		t.Errorf("after the replay: got the profile %s, want the configuration's", got)
	}
}

// TestT10_leavingExploreHappensOnce: the same with a session that a person puts back
// into explore after an approved ExitPlanMode.
func TestT10_leavingExploreHappensOnce(t *testing.T) {
	w := newWorld(t, planners)
	w.tool.readOnly = true
	c, r := exit("worker", "ExitPlanMode", `{"value":"the plan"}`)
	r.CallID, r.Reports = "c1", true
	asked, done := w.start(c, r)
	w.answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Fatalf("got %s", res.Decision.Reason)
	}
	explore := engine.Explore
	if err := w.gate.SetMode(context.Background(), "s-worker", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	w.check(c, r)
	if s, err := w.store.Session(context.Background(), "s-worker"); err != nil || s.Mode == nil || *s.Mode != engine.Explore {
		t.Errorf("after the replay: got mode %v, %v, want explore", s.Mode, err)
	}
}
