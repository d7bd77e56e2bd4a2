package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/spelling"
)

// UnknownTools lists the tool names in rules and tool lists that none of names is
// and that look like a slip of one, each a *strictyaml.Error with its place. Such a
// rule means nothing, and a denial that means nothing is not noticed. Other unknown
// names may be tools of clients that the gate has no module for; names of MCP
// tools and globs are not looked at.
func (c *Config) UnknownTools(names []string) []error {
	var out []error
	wild := func(name string) bool { return strings.ContainsAny(name, "*?") }
	known := func(name string) bool {
		// A module may claim names by a glob.
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) || engine.MatchName(n, name) })
	}
	whole := slices.DeleteFunc(slices.Clone(names), wild)
	look := func(name, field string) {
		if wild(name) || strings.HasPrefix(strings.ToLower(name), "mcp__") || known(name) {
			return
		}
		if near := spelling.Nearest(name, whole); near != "" {
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
