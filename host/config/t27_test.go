package config_test

import (
	"testing"

	"github.com/callgate/callgate/host/config"
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
