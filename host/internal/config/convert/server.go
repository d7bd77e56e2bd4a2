package convert

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/engine"
)

// plainServer are names of MCP servers with a single reading in a tool's name: "a__b" is also the
// tool b of a server a, and a star is any text.
var plainServer = regexp.MustCompile(`^[^_*?]+(_[^_*?]+)*$`)

// mcp adds a rule for a tool of an MCP server, or for all of them when tool is empty. An ambiguous
// name is not allowed.
func (e *entry) mcp(b engine.Behavior, server, tool string) {
	if b == engine.Allow && (!plainServer.MatchString(server) || strings.ContainsAny(tool, "*?")) {
		e.is(LeftOut, "not carried: here %s may mean other servers and tools, too: accept its calls on a card, which binds the rule to the server", mcpName(server, tool))
		return
	}
	e.rule(b, mcpName(server, tool), "")
}

// underscored are the names here of an MCP tool, SERVER_TOOL in the file. The end of the server's
// name is unknown, so they cover more than the file means.
func underscored(name string) []string {
	if strings.ContainsAny(name, "*?") {
		return []string{"mcp__" + strings.ReplaceAll(strings.ReplaceAll(name, "_", "_*"), "**", "*")}
	}
	var out []string
	for i := 1; i < len(name)-1; i++ {
		if name[i] == '_' {
			out = append(out, mcpName(name[:i], name[i+1:]))
		}
	}
	return out
}
