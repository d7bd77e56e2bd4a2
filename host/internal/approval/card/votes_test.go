package card_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Symptom: the terminal offered "approve once" and rules for an ask that nobody may
// approve, and only the answer said no. It says so, and offers what counts.
func TestRender_nobodyApproves(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*ask.Ask)
		keys   string
	}{
		"on one card":    {func(*ask.Ask) {}, "n r d"},
		"a safety check": {func(a *ask.Ask) { a.Decision.Stage, a.Decision.BypassImmune = engine.StageToolCheck, true }, "n r d"},
		"a long call":    {func(a *ask.Ask) { a.Input = json.RawMessage(`{"command":"` + strings.Repeat("x", 5000) + `"}`) }, "n r d"},
		"a known user":   {func(a *ask.Ask) { a.User = "joe" }, "y s 1 w n r d"},
		"no such policy": {func(a *ask.Ask) { a.Approvers = approvers.Policy{{Quorum: 2}} }, "y s 1 w n r d"},
		"it has ended":   {func(a *ask.Ask) { a.State = ask.Denied }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := bash("npm ci")
			a.State, a.User, a.Approvers = ask.Shown, "", approvers.Policy{{Users: []string{"bob"}, Quorum: 2}, {ExcludeRequester: true}}
			a.Decision.Suggestions = []engine.Suggestion{{Tool: "Bash", Behavior: engine.Allow, Set: 1}}
			test.change(&a)
			c := card.Render(a, noon)
			var keys []string
			for _, choice := range c.Choices {
				keys = append(keys, choice.Key)
			}
			if got := strings.Join(keys, " "); got != test.keys {
				t.Errorf("it offers %q, want %q", got, test.keys)
			}
			nobody := a.State == ask.Shown && !strings.Contains(test.keys, "y")
			if strings.Contains(lines(c), "\n! No one may approve this: ") != nobody || nobody && c.Confirm != "" {
				t.Errorf("nobody may approve it: %t; it says %q, and\n%s", nobody, c.Confirm, lines(c))
			}
		})
	}
}

// TestRender_approvers: a card tells who may answer and who has approved, and at last
// who all decided; names hide nothing.
func TestRender_approvers(t *testing.T) {
	a := ask.Ask{
		ID: "k3m9qd", Tool: "Bash", State: ask.Shown,
		Approvers: approvers.Policy{{Roles: []string{"ops"}, Users: []string{"eve\u202e"}, Quorum: 2, ExcludeRequester: true}},
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
	shows("approvers: eve", "or the role ops; 2 have to approve; not the person who triggered the call", "votes: 1 of 2 approved: bob")
	a.State, a.Cause, a.Votes = ask.Approved, ask.CauseAnswered, append(a.Votes, ask.Answer{By: "cy\u202e", Verdict: ask.Approve})
	a.Answer = &a.Votes[1]
	shows(`Allowed k3m9qd by "bob, cy‹U+202E›"`)
	if one := (ask.Ask{State: ask.Shown}); one.Progress() != "" || one.Approvers.String() != "" {
		t.Errorf("without a policy: got %q, %q, want nothing", one.Progress(), one.Approvers)
	}
}
