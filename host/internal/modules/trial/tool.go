package trial

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
)

// Tool finds the tool of a name, its own, an alias or one below a glob, and returns it with the
// name for the module: the tool's own, or the called one below a glob. The empty name means the
// only tool.
func (m *Module) Tool(name string) (tool modules.ToolDescription, called string, err error) {
	tools := m.Description.Tools
	if name == "" {
		if len(tools) == 1 && !isGlob(tools[0].Name) {
			return tools[0], tools[0].Name, nil
		}
		return tool, "", fmt.Errorf("say which tool: the module has %s", m.names())
	}
	for _, t := range tools {
		if t.Name == name || slices.Contains(t.Aliases, name) {
			return t, t.Name, nil
		}
	}
	for _, t := range tools {
		if engine.MatchName(t.Name, name) || slices.ContainsFunc(t.Aliases, func(a string) bool { return engine.MatchName(a, name) }) {
			return t, name, nil
		}
	}
	return tool, "", fmt.Errorf("the module has no tool %q, but %s", name, m.names())
}

func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

func (m *Module) names() string {
	names := make([]string, len(m.Description.Tools))
	for i, t := range m.Description.Tools {
		names[i] = t.Name
	}
	return strings.Join(names, ", ")
}
