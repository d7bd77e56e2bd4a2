package card_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/people"
)

// TestRender_approvers: a card tells who may answer and who has approved, and at last
// who all decided; names hide nothing.
func TestRender_approvers(t *testing.T) {
	a := ask.Ask{
		ID: "k3m9qd", Tool: "Bash", State: ask.Shown,
		Approvers: people.Policy{{Roles: []string{"ops"}, Users: []string{"eve\u202e"}, Quorum: 2, ExcludeRequester: true}},
		Votes:     []ask.Answer{{By: "bob", Verdict: ask.Approve}},
	}
	shows := func(want ...string) {
		t.Helper()
		text := strings.Join(strings.Fields(card.Terminal(card.Render(a, time.Unix(0, 0)), 400, false)), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("got %s, want %q", text, w)
			}
		}
		if strings.Contains(text, "\u202e") {
			t.Errorf("a name turns the text around: %q", text)
		}
	}
	shows("approvers: eve", "or the role ops; 2 have to approve; not whoever triggered the call", "votes: 1 of 2 approved: bob")
	a.State, a.Cause, a.Votes = ask.Approved, ask.CauseAnswered, append(a.Votes, ask.Answer{By: "cy\u202e", Verdict: ask.Approve})
	a.Answer = &a.Votes[1]
	shows("approved by bob, cy", "votes: 2 of 2 approved: bob, cy")
	if one := (ask.Ask{State: ask.Shown}); one.Progress() != "" || one.Approvers.String() != "" {
		t.Errorf("without a policy: got %q, %q, want nothing", one.Progress(), one.Approvers)
	}
}
