package message_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/discord/message"
)

func TestMayNot(t *testing.T) {
	t.Parallel()
	const id = "1191168914227200012"
	dora := approvers.Person{Name: id}
	for _, tt := range []struct {
		policy    approvers.Policy
		requester string
		want      string
	}{
		{approvers.Policy{{Users: []string{"ann"}, Roles: []string{"approver"}}}, "joe", "You may not answer this: it takes ann or the role approver."},
		{approvers.Policy{{Roles: []string{"@everyone"}}}, "joe", "You may not answer this: `it takes the role @everyone`"},
		{approvers.Policy{{Users: []string{"https://evil.example"}}}, "joe", "You may not answer this: `it takes https://evil.example`"},
		{approvers.Policy{{ExcludeRequester: true}}, id, "You triggered the call and may not approve it, only deny it: another approver has to."},
		{approvers.Policy{{ExcludeRequester: true}}, "", "This does not count: no one may approve: the person who triggered the call may not, and that person is unknown (set user for the agent)."},
	} {
		if got := message.MayNot(id, tt.policy.Authorise(tt.requester, dora).Reason); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.policy, got, tt.want)
		}
	}
	if got := message.MayNot(id, "ann may not answer: `x`"); got != "This does not count: `ann may not answer: ‹U+0060›x‹U+0060›`" {
		t.Errorf("got %q", got)
	}
}
