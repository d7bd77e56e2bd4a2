package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// UnknownTools lists the tool names in rules and tool lists that look like a slip of one of names,
// each a *strictyaml.Error with its place. Such a rule has no effect, and a denial without effect
// goes unnoticed. Other unknown names may be client tools without a module; names of MCP tools and
// globs are not looked at. RATIONALE.md, "Why may a rule in the configuration name a tool that
// nobody has?".
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
		if near := didyoumean.Nearest(name, whole); near != "" {
			out = append(out, c.problem(field, "unknown tool %q, so this has no effect; did you mean %s?", name, near))
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
