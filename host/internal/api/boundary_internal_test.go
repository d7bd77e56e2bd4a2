package api

import (
	"testing"

	"github.com/callgate/callgate/host/internal/machine/socket"
)

// Root drops the PIN at once where no agent can be root; no other account ever does.
func TestMayReset(t *testing.T) {
	t.Parallel()
	agents := Boundary{Agents: []int{4711}, Approvers: []int{4712}}
	for name, tt := range map[string]struct {
		b      Boundary
		p      socket.Peer
		daemon int
		want   bool
	}{
		"root, the daemon is another account":       {Boundary{}, socket.Peer{UID: 0, Known: true}, 1000, true},
		"root as well, agents may be root":          {Boundary{}, socket.Peer{UID: 0, Known: true}, 0, false},
		"root as well, agents are another account":  {agents, socket.Peer{UID: 0, Known: true}, 0, true},
		"root is the account of an agent":           {Boundary{Agents: []int{0}}, socket.Peer{UID: 0, Known: true}, 1000, false},
		"over TCP, where nobody is known":           {agents, socket.Peer{}, 1000, false},
		"the daemon's own account":                  {agents, socket.Peer{UID: 1000, Known: true}, 1000, false},
		"an agent":                                  {agents, socket.Peer{UID: 4711, Known: true}, 0, false},
		"an approver":                               {agents, socket.Peer{UID: 4712, Known: true}, 0, false},
		"approvers alone say nothing of the agents": {Boundary{Approvers: []int{4712}}, socket.Peer{UID: 0, Known: true}, 0, false},
	} {
		if got := tt.b.mayReset(tt.p, tt.daemon); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}
