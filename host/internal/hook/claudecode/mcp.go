package claudecode

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// mcpPrefix begins the names of MCP tools: mcp__SERVER__TOOL.
const mcpPrefix = "mcp__"

// checkServer wants the tool's name to be one of its server's. Where server and
// tool meet in the name cannot be read from the name, so rules for one server
// must not hold for a tool of another. Threat T26.
func (p payload) checkServer() error {
	if p.Server == nil || p.serverInTool() != "" {
		return nil
	}
	return fmt.Errorf("tool_name: %.80q is not a tool of the MCP server %.80q that the client names", string(p.Tool), string(p.Server.Name))
}

// serverInTool is the client's server as it stands in the tool's name; empty
// when it does not.
func (p payload) serverInTool() string {
	for _, n := range spellings(string(p.Server.Name)) {
		if tool, ok := strings.CutPrefix(string(p.Tool), mcpPrefix+n+"__"); ok && n != "" && tool != "" {
			return n
		}
	}
	return ""
}

// spellings are the forms of a server's name in tools' names.
func spellings(name string) []string {
	return []string{name, runner.InToolName(name), collapsed(runner.InToolName(name))}
}

// server are the known facts about the call's MCP server: the client's word, and the definitions in
// its own files. Nil for other tools, and where neither the client nor the name identifies the
// server: then only rules with effect in every reading count.
func (p payload) server(files Servers) *wire.Server {
	if !strings.HasPrefix(string(p.Tool), mcpPrefix) {
		return nil
	}
	if p.Server != nil {
		return files.identify(p.serverInTool(), cmp.Or(string(p.Server.Source), unknown), string(p.CWD))
	}
	name, tool, ok := strings.Cut(string(p.Tool)[len(mcpPrefix):], "__")
	if !ok || name == "" || tool == "" || strings.Contains(tool, "__") || tool[0] == '_' {
		return nil
	}
	return files.identify(name, "", string(p.CWD)) // an older client names no server
}

// collapsed is the form of claude.ai's connectors: no "_" at the ends and never two together.
func collapsed(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' }), "_")
}
