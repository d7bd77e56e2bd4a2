package message_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/golden"
)

// The asks of these tests.
var (
	noon = asktest.Noon
	bash = asktest.Bash
	text = asktest.Text
)

func TestGolden(t *testing.T) {
	t.Parallel()
	cards := asktest.Kinds()
	for name, a := range cards {
		if a.State.Waiting() {
			show(t, name, message.Card(a, message.View{Instance: "i1", Waiting: 2}).Message)
		}
	}
	quorum := cards["plain"]
	quorum.Approvers = approvers.Policy{{Roles: []string{"ops"}, Quorum: 2}}
	quorum.Votes = []ask.Answer{{By: "bob", Verdict: ask.Approve}}
	accounts := quorum
	accounts.Approvers = approvers.Policy{{Users: []string{"ann", "1191168914227200012"}, Roles: []string{"ops"}, Quorum: 3}}
	accounts.Votes = []ask.Answer{{By: "ann"}, {By: "1191168914227200012"}}
	show(t, "accounts", message.Card(accounts, message.View{Instance: "i1"}).Message)
	v := message.View{Instance: "i1", MentionRoles: []string{"123456789012345678"}, Note: "escalated: nobody answered in the first channel"}
	show(t, "quorum", message.Card(quorum, v).Message)
	show(t, "batch", message.Card(cards["install"], message.View{Instance: "i1", Waiting: 9, Behind: asktest.Behind(), Done: []string{
		message.Done(asktest.Behind()[0], ended(asktest.Behind()[0], "ann")),
	}}).Message)
	edit := cards["plain"]
	edit.TakesInput = true
	show(t, "edit-button", message.Card(edit, message.View{Instance: "i1"}).Message)
	show(t, "everything", message.Everything(cards["long"]))
	show(t, "confirm-rule", message.ConfirmRule(cards["plain"], message.Offers(cards["plain"])[0], "i1"))
	rules := []engine.Rule{
		{Tool: "Bash", Content: text("npm run:*"), Behavior: engine.Allow, Scope: engine.Project, ScopeKey: "/home/ann/site"},
		{Tool: "Bash", Content: text("npm test"), Behavior: engine.Allow, Scope: engine.Session, ScopeKey: "s1", ExpiresAt: noon.Add(time.Hour)},
	}
	show(t, "undo", message.Undo("k3m9qd", rules, noon.Add(10*time.Minute), "i1"))
	for name, a := range endings(cards["plain"], quorum) {
		call := message.Card(a.was, message.View{Instance: "i1"}).Call
		show(t, "ended-"+name, message.Ended(a.is, message.End{Call: call, Rules: a.rules(rules)}))
	}
}

// ended is an ask as by denied it.
func ended(a ask.Ask, by string) ask.Ask {
	a.State, a.Cause, a.Answer, a.EndedAt, a.Input = ask.Denied, ask.CauseAnswered, &ask.Answer{By: by}, noon, nil
	return a
}

// ending is an ask as it was shown and as it ended.
type ending struct{ was, is ask.Ask }

func (e ending) rules(list []engine.Rule) []engine.Rule {
	if e.is.State == ask.Approved && e.is.Cause == ask.CauseAnswered {
		return list
	}
	return nil
}

func endings(plain, quorum ask.Ask) map[string]ending {
	end := func(a ask.Ask, state ask.State, cause ask.Cause, answer *ask.Answer) ending {
		is := a
		is.State, is.Cause, is.Answer, is.EndedAt, is.Input = state, cause, answer, noon.Add(9*time.Second), nil
		return ending{was: a, is: is}
	}
	bob := &ask.Answer{Verdict: ask.Approve, By: "bob", Surface: "discord"}
	both := end(quorum, ask.Approved, ask.CauseAnswered, bob)
	both.is.Votes = []ask.Answer{{By: "ann"}, {By: "bob"}}
	dora := &ask.Answer{By: "1191168914227200012", Surface: "discord"}
	return map[string]ending{
		"account":  end(plain, ask.Approved, ask.CauseAnswered, dora),
		"approved": end(plain, ask.Approved, ask.CauseAnswered, bob),
		"quorum":   both,
		"denied":   end(plain, ask.Denied, ask.CauseAnswered, &ask.Answer{By: "marta", Surface: "terminal", Reason: "use make build"}),
		"settled":  end(plain, ask.Approved, ask.CauseCovered, bob),
		"expired":  end(plain, ask.TimedOut, ask.CauseTimeout, nil),
		"stopped":  end(plain, ask.Cancelled, ask.CauseInterrupt, nil),
		"changed":  end(plain, ask.Cancelled, ask.CauseCardChanged, nil),
	}
}

func show(t *testing.T, name string, m message.Message) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		sound(t, m)
		golden.Check(t, name, raw(m)+drawn(m))
	})
}

// raw is the sent JSON, for reviewers, above the same drawn.
func raw(m message.Message) string {
	return fmt.Sprintf("%s\n════ %d units, as text: ════\n", m.Content, message.Units(m.Content))
}
