package gate_test

import (
	"context"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// TestT10_approvedProfileIsGivenOnce: an agent has a profile approved, a person takes it back,
// and the agent sends the same call under the same id, without ever reporting its end, to have
// it again without an ask.
func TestT10_approvedProfileIsGivenOnce(t *testing.T) {
	w := newWorld(t, chorus)
	boss := authority.Caller{Token: "check:boss", Agent: "boss"}
	r := selfEdit(`{"profile":"open"}`, wire.CallContext{})
	r.CallID, r.Reports = "c1", true
	asked, done := w.Start(boss, r)
	w.Answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow || w.given("boss") != "open" {
		t.Fatalf("got %s, %q given, want open", res.Decision.Reason, w.given("boss"))
	}
	if err := w.Gate.ResetProfile(context.Background(), "boss", "ann"); err != nil {
		t.Fatal(err)
	}
	if res := w.Check(boss, r); res.Outcome != store.AskApproved {
		t.Errorf("the same call: got %s (%s), want the same answer", res.Outcome, res.Decision.Reason)
	}
	if got := w.given("boss"); got != "" {
		t.Errorf("after the replay: got the profile %s, want the configuration's", got)
	}
}

// TestT10_leavingExploreHappensOnce: the same with a session put back into explore by a person
// after an approved ExitPlanMode.
func TestT10_leavingExploreHappensOnce(t *testing.T) {
	w := newWorld(t, planners)
	w.Tool.ReadOnly = true
	c, r := exit("worker", "ExitPlanMode", `{"value":"the plan"}`)
	r.CallID, r.Reports = "c1", true
	asked, done := w.Start(c, r)
	w.Answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		t.Fatalf("got %s", res.Decision.Reason)
	}
	explore := engine.Explore
	if err := w.Gate.SetMode(context.Background(), "s-worker", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	w.Check(c, r)
	if s, err := w.Store.Session(context.Background(), "s-worker"); err != nil || s.Mode == nil || *s.Mode != engine.Explore {
		t.Errorf("after the replay: got mode %v, %v, want explore", s.Mode, err)
	}
}
