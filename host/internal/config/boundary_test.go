package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

func TestBoundary_resolvesAccounts(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("f", []byte("listen: /run/cg/s.sock\nboundary:\n  agent_accounts: [61001, \"61002\"]\n  approver_accounts: [root]\n"), dirs)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := config.UIDs(c.Boundary.AgentAccounts), []int{61001, 61002}; !slices.Equal(got, want) {
		t.Errorf("agents: got %v, want %v", got, want)
	}
	if got, want := config.UIDs(c.Boundary.ApproverAccounts), []int{0}; !slices.Equal(got, want) {
		t.Errorf("approvers: got %v, want %v", got, want)
	}
}

// TestBoundary_refuses names the line of an impossible promise.
func TestBoundary_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, want string }{
		"unknown account":      {"listen: /run/cg/s.sock\nboundary:\n  agent_accounts: [nobody-has-this-name]\n", "f:3:20: boundary.agent_accounts[0]: account \"nobody-has-this-name\""},
		"root as an agent":     {"listen: /run/cg/s.sock\nboundary:\n  agent_accounts: [root]\n", "f:3:20: boundary.agent_accounts[0]: root is root"},
		"both":                 {"listen: /run/cg/s.sock\nboundary:\n  agent_accounts: [7]\n  approver_accounts: [7]\n", "f:3:20: boundary.agent_accounts[0]: 7 is also in approver_accounts"},
		"not a UID":            {"boundary:\n  agent_accounts: [4294967295]\n", "f:2:20: boundary.agent_accounts[0]: 4294967295 is not a UID"},
		"too large":            {"boundary:\n  agent_accounts: [18446744073709551615]\n", "is too large"},
		"no socket":            {"listen: 127.0.0.1:0\nboundary:\n  agent_accounts: [7]\n", "f:1:9: listen: boundary needs a socket"},
		"in the state":         {"boundary:\n  agent_accounts: [7]\n", "boundary: other accounts must be able to"},
		"approvers by a name ": {"boundary:\n  approver_accounts: [7]\n", "boundary.approver_accounts: without agent_accounts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := config.Parse("f", []byte(tc.text), dirs); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
