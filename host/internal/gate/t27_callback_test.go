package gate_test

import (
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// TestT27_callbackIsBoundByApprovers: the operator wants two people, or one of the
// team, for some calls, and the agent's callback answers those as well.
func TestT27_callbackIsBoundByApprovers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, approvers string
		answers         bool
	}{
		{"nobody named", "{}", true},
		{"people", "{users: [cy]}", false},
		{"a role", "{roles: [ops]}", false},
		{"two", "{quorum: 2}", false},
		{"itself", "{users: [cy, callback fake]}", true},
		{"itself, and one more", "{users: [cy, callback fake], quorum: 2}", false},
		{"not whoever triggered it", "{exclude_requester: true}", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {worker: {user: joe, tools: {Probe: {ask_approvers: "+tc.approvers+"}}}}\n")
			cb := answers(allowing)
			w.withCallback(cb)
			if tc.answers {
				if res := w.Check(worker, call("x")); res.Decision.Behavior != engine.Allow || res.DecidedBy != "callback fake" {
					t.Errorf("got %s by %q, want it allowed by the callback", res.Decision.Behavior, res.DecidedBy)
				}
				return
			}
			asked, done := w.Start(worker, call("x"))
			if len(cb.asked) > 0 {
				t.Errorf("the callback was asked %d times, want people asked", len(cb.asked))
			}
			if _, err := w.AnswerAs(asked.ID, "cy", ask.Answer{}, "ops"); err != nil {
				t.Fatal(err)
			}
			if res := <-done; res.Outcome != store.AskDenied {
				t.Errorf("got %s, want cy's denial", res.Outcome)
			}
		})
	}
}
