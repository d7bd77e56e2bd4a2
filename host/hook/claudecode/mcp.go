package claudecode

import (
	"fmt"
	"strings"
)

// mcpPrefix begins the names of MCP tools: mcp__SERVER__TOOL.
const mcpPrefix = "mcp__"

// checkServer wants the tool's name to be one of its server's. Where server and
// tool meet in the name cannot be read from the name, so rules for one server
// must not hold for a tool of another. Threat T26.
func (p payload) checkServer() error {
	if p.Server == nil {
		return nil
	}
	name := string(p.Server.Name)
	for _, n := range []string{name, inToolName(name), collapsed(inToolName(name))} {
		if tool, ok := strings.CutPrefix(string(p.Tool), mcpPrefix+n+"__"); ok && n != "" && tool != "" {
			return nil
		}
	}
	return fmt.Errorf("tool_name: %.80q is no tool of the MCP server %.80q that the client names", string(p.Tool), name)
}

// inToolName is a server's name as the client writes it into a tool's: what is
// not a letter, a digit, "_" or "-" becomes "_".
func inToolName(name string) string {
	var out strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			out.WriteRune(r)
		case r > 0xFFFF: // the client counts in UTF-16
			out.WriteString("__")
		default:
			out.WriteByte('_')
		}
	}
	return out.String()
}

// collapsed is the form that connectors of claude.ai have: no "_" at the ends
// and never two together.
func collapsed(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '_' }), "_")
}
