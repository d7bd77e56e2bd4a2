package convert_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config/convert"
)

// Attack: a foreign file with names that, read as Callgate reads them, allow more tools than in
// their program (a star or "__" in a server's name, stars skipped by the program, a server
// offering few of its tools), or with denials of MCP tools under names unknown here.
func TestImport_namesAllowNoMoreAndDenyNoLess(t *testing.T) {
	t.Parallel()
	claude := func(list, rule string) string { return `{"permissions":{"` + list + `":["` + rule + `"]}}` }
	for name, c := range map[string]struct {
		from       convert.Format
		file, data string
		behavior   engine.Behavior
		// want are the rules of the behavior, disallowed the tools besides.
		want, disallowed []string
	}{
		"claude: a bare star over servers":      {convert.ClaudeSettings, "s.json", claude("allow", "mcp__*"), engine.Allow, nil, nil},
		"claude: a star in a name":              {convert.ClaudeSettings, "s.json", claude("allow", "Ba*"), engine.Allow, nil, nil},
		"claude: a star in a server":            {convert.ClaudeSettings, "s.json", claude("allow", "mcp__s*__x"), engine.Allow, nil, nil},
		"claude: parentheses are skipped":       {convert.ClaudeSettings, "s.json", claude("allow", "mcp__s__x(*)"), engine.Allow, nil, nil},
		"claude: a star behind a server":        {convert.ClaudeSettings, "s.json", claude("allow", "mcp__s__get_*"), engine.Allow, []string{"mcp__s__get_*"}, nil},
		"claude: a denial may have stars":       {convert.ClaudeSettings, "s.json", claude("deny", "mcp__*"), engine.Deny, []string{"mcp__*"}, nil},
		"claude: what turns the text around":    {convert.ClaudeSettings, "s.json", claude("allow", `Bash(npm\u202e:*)`), engine.Allow, nil, nil},
		"claude: more than a host":              {convert.ClaudeSettings, "s.json", claude("allow", "WebFetch(domain:example.com:*)"), engine.Allow, nil, nil},
		"claude: a host and a path":             {convert.ClaudeSettings, "s.json", claude("allow", "WebFetch(domain:example.com/*)"), engine.Allow, nil, nil},
		"claude: subdomains":                    {convert.ClaudeSettings, "s.json", claude("allow", "WebFetch(domain:*.example.com)"), engine.Allow, []string{"WebFetch(*.example.com)"}, nil},
		"agentscope: a name with a star":        {convert.AgentScope, "a.json", `{"allow_rules":{"Rea*":[{}],"mcp__*":[{}]}}`, engine.Allow, nil, nil},
		"agentscope: a denied name with a star": {convert.AgentScope, "a.json", `{"deny_rules":{"Rea*":[{}]}}`, engine.Deny, []string{"Rea*"}, nil},
		"codex: few tools are offered":          {convert.Codex, "c.toml", "[mcp_servers.s]\nenabled_tools = [\"a\"]\ndefault_tools_approval_mode = \"approve\"\n", engine.Allow, []string{"mcp__s__a"}, nil},
		"codex: no tool is offered":             {convert.Codex, "c.toml", "[mcp_servers.s]\nenabled_tools = []\ndefault_tools_approval_mode = \"approve\"\n", engine.Allow, nil, nil},
		"codex: few tools, all ask":             {convert.Codex, "c.toml", "[mcp_servers.s]\nenabled_tools = [\"a\", \"b\"]\ndefault_tools_approval_mode = \"prompt\"\n", engine.Ask, []string{"mcp__s"}, nil},
		"codex: a server called star":           {convert.Codex, "c.toml", "[mcp_servers.\"*\"]\ndefault_tools_approval_mode = \"approve\"\n", engine.Allow, nil, nil},
		"codex: a server that reads two ways": {convert.Codex, "c.toml", "[mcp_servers.a__b]\ndefault_tools_approval_mode = \"approve\"\n",
			engine.Allow, nil, nil},
		"codex: a tool called star":          {convert.Codex, "c.toml", "[mcp_servers.s.tools.\"*\"]\napproval_mode = \"approve\"\n", engine.Allow, nil, nil},
		"gemini: a trusted server with star": {convert.Gemini, "g.json", `{"mcpServers":{"a*":{"trust":true},"c__d":{"trust":true}}}`, engine.Allow, nil, nil},
		"gemini: an included star":           {convert.Gemini, "g.json", `{"mcpServers":{"a":{"trust":true,"includeTools":["x","*"]}}}`, engine.Allow, []string{"mcp__a__x"}, nil},
		"gemini: allowed takes no stars":     {convert.Gemini, "g.json", `{"tools":{"allowed":["mcp__*","sr*"]}}`, engine.Allow, nil, nil},
		"gemini: an excluded MCP tool":       {convert.Gemini, "g.json", `{"tools":{"exclude":["foo"]}}`, engine.Deny, []string{"mcp__*__foo"}, []string{"foo"}},
		"gemini: an excluded tool with its server": {convert.Gemini, "g.json", `{"tools":{"exclude":["srv__bar"]}}`,
			engine.Deny, []string{"mcp__srv__bar", "mcp__*__srv__bar"}, []string{"srv__bar"}},
		"gemini: an excluded built-in tool":   {convert.Gemini, "g.json", `{"tools":{"exclude":["write_file"]}}`, engine.Deny, nil, []string{"Write"}},
		"gemini policy: part of a server":     {convert.Gemini, "p.toml", "[[rule]]\nmcpName = \"s*\"\ntoolName = \"x\"\ndecision = \"allow\"\n", engine.Allow, nil, nil},
		"gemini policy: a star inside a name": {convert.Gemini, "p.toml", "[[rule]]\ntoolName = \"x__*__y\"\ndecision = \"allow\"\n", engine.Allow, nil, nil},
		"gemini policy: any server":           {convert.Gemini, "p.toml", "[[rule]]\nmcpName = \"*\"\ndecision = \"allow\"\n", engine.Allow, []string{"mcp__*"}, nil},
		"opencode: an MCP tool":               {convert.OpenCode, "o.json", `{"permission":{"srv_tool":"deny"}}`, engine.Deny, []string{"srv_tool", "mcp__srv__tool"}, nil},
		"opencode: where the server ends":     {convert.OpenCode, "o.json", `{"permission":{"a_b_c":"deny"}}`, engine.Deny, []string{"a_b_c", "mcp__a__b_c", "mcp__a_b__c"}, nil},
		"opencode: servers by a star":         {convert.OpenCode, "o.json", `{"permission":{"my_*":"deny"}}`, engine.Deny, []string{"mcp__my", "mcp__my_*"}, nil},
		"opencode: it is allowed as it is":    {convert.OpenCode, "o.json", `{"permission":{"srv_tool":"allow"}}`, engine.Allow, []string{"srv_tool"}, nil},
		"opencode: write off is edit off":     {convert.OpenCode, "o.json", `{"tools":{"write":false}}`, engine.Deny, nil, []string{"Edit", "Write", "MultiEdit", "ApplyPatch"}},
		"opencode: an MCP tool switched off":  {convert.OpenCode, "o.json", `{"tools":{"srv_tool":false}}`, engine.Deny, nil, []string{"srv_tool", "mcp__srv__tool"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := convert.Import(c.from, c.file, []byte(c.data), convert.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got, disallowed []string
			for _, b := range r.Blocks {
				disallowed = append(disallowed, b.DisallowedTools...)
				for _, rule := range b.Rules {
					if rule.Behavior == c.behavior {
						got = append(got, rule.Text)
					}
				}
			}
			if !slices.Equal(got, c.want) || !slices.Equal(disallowed, c.disallowed) {
				t.Errorf("%s rules: got %q and disallowed %q, want %q and %q\n%s", c.behavior, got, disallowed, c.want, c.disallowed, r.Text())
			}
			if n := r.Counts(); len(got)+len(disallowed) == 0 && n[convert.LeftOut] == 0 {
				t.Errorf("nothing is carried, and nothing says so:\n%s", r.Text())
			}
		})
	}
}
