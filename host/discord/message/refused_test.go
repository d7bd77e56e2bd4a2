package message_test

import (
	"testing"

	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/people"
)

func TestMayNot(t *testing.T) {
	t.Parallel()
	const id = "1191168914227200012"
	dora := people.Person{Name: id}
	for _, tt := range []struct {
		policy    people.Policy
		requester string
		want      string
	}{
		{people.Policy{{Users: []string{"ann"}, Roles: []string{"approver"}}}, "joe", "You may not answer this: it takes ann or the role approver."},
		{people.Policy{{Roles: []string{"@everyone"}}}, "joe", "You may not answer this: `it takes the role @everyone`"},
		{people.Policy{{Users: []string{"https://evil.example"}}}, "joe", "You may not answer this: `it takes https://evil.example`"},
		{people.Policy{{ExcludeRequester: true}}, id, "You triggered the call and may not approve it, only deny it: another approver has to."},
		{people.Policy{{ExcludeRequester: true}}, "", "This does not count: nobody may approve: whoever triggered the call may not, and who that is, is not known (give the agent a user)."},
	} {
		if got := message.MayNot(id, tt.policy.Authorise(tt.requester, dora).Reason); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.policy, got, tt.want)
		}
	}
	if got := message.MayNot(id, "ann may not answer: `x`"); got != "This does not count: `ann may not answer: ‹U+0060›x‹U+0060›`" {
		t.Errorf("got %q", got)
	}
}
