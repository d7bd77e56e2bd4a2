package config_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

// TestT27_ApproversInAnyCase: an agent spells a tool's name in another case to have its
// calls answered by those of a laxer place.
func TestT27_ApproversInAnyCase(t *testing.T) {
	c, err := config.Parse("callgate.yaml", []byte("tools: {mcp__db__Drop: {ask_approvers: {users: [cy]}}}"), config.Dirs{Home: "/h", Config: "/c", State: "/s", Cache: "/k"})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Approvers("a", "mcp__DB__drop").String(); got != "cy" {
		t.Errorf("got %q, want cy", got)
	}
}

// TestT02_SubAgentInAnyCase: a sub-agent's kind is spelled in another case to get the
// permissions of unlisted ones.
func TestT02_SubAgentInAnyCase(t *testing.T) {
	a := config.Agent{SubAgents: map[string]config.SubAgent{"Explore": {AllowedTools: []string{"Read"}}, "*": {}}}
	if got, ok := a.SubAgent("explore"); !ok || len(got.AllowedTools) != 1 {
		t.Errorf("got %+v, %t, want that of Explore", got, ok)
	}
	if got, ok := a.SubAgent("other"); !ok || got.AllowedTools != nil {
		t.Errorf("another: got %+v, %t, want that of any", got, ok)
	}
}
