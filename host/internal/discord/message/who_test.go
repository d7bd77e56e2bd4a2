package message_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// TestWho: an account stands as a mention, with its id where there is room, and nothing
// else ever does.
func TestWho(t *testing.T) {
	t.Parallel()
	const id = "1191168914227200012"
	for name, want := range map[string]string{
		id: "<@" + id + "> (`" + id + "`)", "12345678901234567": "<@12345678901234567> (`12345678901234567`)",
		"1234567890123456": "`1234567890123456`", "123456789012345678901": "`123456789012345678901`", "0191168914227200012": "`0191168914227200012`",
		"<@" + id + ">": "`<@" + id + ">`", id + " ": "`" + id + "‹U+0020›`", id + "\n": "`" + id + "‹U+000A›`", "&" + id: "`&" + id + "`",
		"１１９１１６８９１４２２７２０００１２": "`", "@everyone": "`@everyone`", id + ", " + id: "`" + id + ", " + id + "`",
	} {
		a := bash("ls")
		call := post(a).Call
		a.Approvers = approvers.Policy{{Users: []string{name}, Quorum: 2}}
		a.Votes = []ask.Answer{{By: name}}
		card := post(a).Message
		a.State, a.Cause, a.Answer = ask.Approved, ask.CauseAnswered, &ask.Answer{By: name, Surface: "discord"}
		ended := message.Ended(a, message.End{Call: call})
		for content, words := range map[string][]string{card.Content: {"**1 of 2 approved**: ", "-# approvers: "}, ended.Content: {"**Allowed k3m9qd** by "}} {
			for _, word := range words {
				if !strings.Contains(content, "\n"+word+want) && !strings.HasPrefix(content, word+want) {
					t.Errorf("%q: no %q in\n%s", name, word+want, content)
				}
			}
		}
		for _, m := range []message.Message{card, ended} {
			sound(t, m)
			if len(m.AllowedMentions.Users)+len(m.AllowedMentions.Roles)+len(m.AllowedMentions.Parse) > 0 {
				t.Errorf("%q: somebody is pinged: %+v", name, m.AllowedMentions)
			}
		}
	}
	var many approvers.Approvers
	for i := range 9 {
		many.Users = append(many.Users, fmt.Sprint("119116891422720001", i))
	}
	for n, want := range map[int]string{1: " (`", 4: "<@1191168914227200013>", 9: "`1191168914227200010, "} {
		a := bash("ls")
		a.Approvers = approvers.Policy{{Users: many.Users[:n], Quorum: 9}}
		for _, user := range many.Users[:n] {
			a.Votes = append(a.Votes, ask.Answer{By: user})
		}
		content := post(a).Content
		sound(t, post(a).Message)
		if strings.Count(content, want) < 2 || strings.Contains(content, " (`") != (n == 1) {
			t.Errorf("%d: got\n%s", n, content)
		}
	}
}
