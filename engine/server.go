package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Server is the MCP server of a call's tool, as reported by the client. Without a report, only the
// tool's name is known. RATIONALE.md, "Whose MCP server is it?".
type Server struct {
	// Name is the server's name as it stands in the tool's, mcp__NAME__TOOL.
	Name string `json:"name"`
	// Identity names the server with the place and a digest of its definition. Empty when unknown.
	Identity string `json:"identity,omitempty"`
	// Doubt says why the name alone does not identify the server: the project defines it, or
	// another one has the name too. Rules without an identity allow nothing then.
	Doubt string `json:"doubt,omitempty"`
}

// mcpPrefix begins the names of MCP tools.
const mcpPrefix = "mcp__"

// identity is the identity of the call's server; empty when it has none.
func (c *Call) identity() string {
	if s := c.Context.Server; s != nil {
		return s.Identity
	}
	return ""
}

// servers are the possible names of the call's server: the client's, or else every reading of the
// tool's name. A call of other tools has none. Threat T26.
func (c *Call) servers() []string {
	rest, ok := strings.CutPrefix(c.Tool, mcpPrefix)
	if !ok {
		return nil
	}
	if s := c.Context.Server; s != nil {
		return []string{s.Name}
	}
	var names []string
	for i := 1; i+2 < len(rest); i++ {
		if rest[i:i+2] == "__" {
			names = append(names, rest[:i])
		}
	}
	return names
}

// permitsServer says why an allow rule does not cover the call's MCP server; empty when it does,
// and for tools of no server. A rule with an identity holds for this server alone; one without
// holds for the servers it names, where the name identifies the server.
func permitsServer(r *Rule, call *Call) string {
	servers := call.servers()
	switch {
	case r.Server != "" && r.Server == call.identity():
		return ""
	case r.Server != "" && call.identity() == "":
		return fmt.Sprintf("rule %s is for the MCP server %s, and the client did not name the server of this call", r, r.Server)
	case r.Server != "":
		return fmt.Sprintf("rule %s is for the MCP server %s, and this server is %s, with another definition", r, r.Server, call.identity())
	case len(servers) == 0 || namesEveryServer(r.Tool):
		return ""
	case len(servers) > 1:
		return fmt.Sprintf("the tool name %s fits several MCP servers (%s), so rule %s is ambiguous", call.Tool, strings.Join(servers, " and "), r)
	case call.Context.Server != nil && call.Context.Server.Doubt != "":
		return fmt.Sprintf("rule %s names the MCP server only, and %s", r, call.Context.Server.Doubt)
	case !namesServer(r.Tool, servers[0]):
		return fmt.Sprintf("rule %s means the tools of another MCP server than %s", r, servers[0])
	}
	return ""
}

// namesEveryServer reports whether a pattern says nothing of the server:
// "mcp__*", "mcp__*__get_*".
func namesEveryServer(pattern string) bool {
	literal, glob := literalOf(pattern)
	return glob && strings.HasPrefix(mcpPrefix, literal)
}

// namesServer reports whether a pattern matching a tool of the server spells the server out, or its
// stars begin within the server's name.
func namesServer(pattern, server string) bool {
	literal, glob := literalOf(pattern)
	return pattern == mcpPrefix+server || strings.HasPrefix(pattern, mcpPrefix+server+"__") ||
		glob && !strings.Contains(strings.TrimPrefix(literal, mcpPrefix), "__")
}

// literalOf is the text before a pattern's first star.
func literalOf(pattern string) (literal string, glob bool) {
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		return pattern[:i], true
	}
	return pattern, false
}

// wholeServer reports whether a name is the name of the call's server: "mcp__github" means every
// tool of it.
func wholeServer(pattern string, call *Call) bool {
	return strings.HasPrefix(pattern, mcpPrefix) && slices.Contains(call.servers(), pattern[len(mcpPrefix):])
}

// meansServer reports whether a name or glob typed by a person means the server of a called MCP
// tool in any case, in any reading of the name, and in the server's name outside of tool names. It
// is for tightening.
func meansServer(pattern, called string) bool {
	// Every tightening rule comes here: most calls are of no server.
	if n := len(mcpPrefix); len(called) < n || !strings.EqualFold(called[:n], mcpPrefix) {
		return false
	}
	pattern = strings.ToLower(inToolName(pattern))
	called = strings.ToLower(called)
	if !strings.HasPrefix(pattern, mcpPrefix) || len(pattern) == len(mcpPrefix) {
		return false
	}
	return MatchName(pattern, called) || MatchName(pattern+"__*", called)
}

// inToolName writes a server's name as clients do within a tool's: characters other than a letter,
// a digit, "_" or "-" become "_". Stars stay.
func inToolName(pattern string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-*?", r) {
			return r
		}
		return '_'
	}, pattern)
}

// serverDoubt says why rules naming the call's tool do not allow it; empty when no such rule
// exists, or for another reason.
func (w *walk) serverDoubt() string {
	for i := range w.req.Rules {
		r := &w.req.Rules[i]
		if r.Behavior != Allow || r.Source == SourceProjectFile || !strings.HasPrefix(w.call.Tool, mcpPrefix) {
			continue
		}
		if why := permitsServer(r, w.call); why != "" && w.req.Entry.permits(r.Tool, w.names) {
			return why
		}
	}
	return ""
}
