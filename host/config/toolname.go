package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/spelling"
)

// UnknownTools lists the tool names in rules and tool lists that none of names is
// and that look like a slip of one, each a *strictyaml.Error with its place. Such a
// rule means nothing, and a denial that means nothing is not noticed. Other unknown
// names may be tools of clients that the gate has no module for; names of MCP
// tools and globs are not looked at.
func (c *Config) UnknownTools(names []string) []error {
	var out []error
	look := func(name, field string) {
		if strings.ContainsAny(name, "*?") || strings.HasPrefix(strings.ToLower(name), "mcp__") ||
			slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
			return
		}
		if near := spelling.Nearest(name, names); near != "" {
			out = append(out, c.problem(field, "no tool is called %q, so this means nothing: did you mean %s?", name, near))
		}
	}
	for _, w := range c.Written() {
		look(w.Rule.Tool, w.Field)
	}
	lists := func(s Settings, field string) {
		for i, name := range s.AllowedTools {
			look(name, fmt.Sprintf("%s.allowed_tools[%d]", field, i))
		}
		for i, name := range s.DisallowedTools {
			look(name, fmt.Sprintf("%s.disallowed_tools[%d]", field, i))
		}
	}
	lists(c.Defaults, "defaults")
	for _, name := range sortedKeys(c.Agents) {
		lists(c.Agents[name].Settings, "agents."+name)
	}
	return out
}
