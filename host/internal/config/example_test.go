package config_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/config"
)

func ExampleParse() {
	text := `
agents:
  builder:
    mode: accept_edits
    allowed_tols: [Read]
    rules:
      - allow: "Bash(npm run:*)"
`
	_, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/dev"})
	fmt.Println(err)
	// Output: callgate.yaml:5:5: agents.builder.allowed_tols: unknown key: did you mean allowed_tools?
}

func ExampleConfig_Agent() {
	text := `
defaults: {mode: plan, disallowed_tools: [WebSearch]}
agents:
  builder: {mode: accept_edits, disallowed_tools: [WebFetch]}
rules:
  - allow: "Bash(npm run:*)"
`
	c, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/dev"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"builder", "anyone"} {
		a := c.Agent(name)
		fmt.Println(a.Name, a.Mode, a.Lists.Disallowed, a.Rules.All())
	}
	// Output:
	// builder accept_edits [WebSearch WebFetch] [Bash(npm run:*)]
	// anyone explore [WebSearch] [Bash(npm run:*)]
}
