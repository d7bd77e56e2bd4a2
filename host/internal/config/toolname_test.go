package config_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

func TestUnknownTools(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("c.yaml", []byte(`defaults:
  disallowed_tools: [WebSaerch, write, "Ba*"]
agents:
  a:
    allowed_tools: [Bsah, Bash, mcp__bahs__x]
    rules: [{ask: "raed(x)"}]
rules:
  - deny: "Bahs(rm:*)"
  - allow: DeployToProduction
  - deny: ship_it
`), dirs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, err := range c.UnknownTools([]string{"Bash", "Read", "Write", "WebSearch", "ship_*", "ship_if"}) {
		got = append(got, err.Error())
	}
	want := []string{
		`c.yaml:8:5: rules[0]: unknown tool "Bahs", so this has no effect; did you mean Bash?`,
		`agents.a.rules[0]: unknown tool "raed", so this has no effect; did you mean Read?`,
		`c.yaml:2:22: defaults.disallowed_tools[0]: unknown tool "WebSaerch", so this has no effect; did you mean WebSearch?`,
		`agents.a.allowed_tools[0]: unknown tool "Bsah", so this has no effect; did you mean Bash?`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %q, want %d", got, len(want))
	}
	for i := range want {
		if !strings.HasSuffix(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}
