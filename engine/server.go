package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Server is the MCP server that a call's tool belongs to, as the client reports
// it. Without one, only the tool's name tells.
type Server struct {
	// Name is the server's name as it stands in the tool's, mcp__NAME__TOOL.
	Name string `json:"name"`
	// Identity names the server and what it is: where it is defined, and a digest
	// of its definition. Empty when that is not known.
	Identity string `json:"identity,omitempty"`
	// Doubt says why the name alone does not tell whose server this is: the project
	// defines it, or another one has the name too. Rules without an identity allow
	// nothing then.
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

// servers are the names that the call's server may have: the one that the client
// reports, or else every way to read the tool's name. A call of no MCP tool has
// none. Threat T26.
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

// permitsServer says why an allow rule does not speak of the call's MCP server;
// empty when it does, and for tools of no server. A rule that carries an
// identity holds for that server alone; one without holds for what it names,
// where the name tells whose server it is.
func permitsServer(r *Rule, call *Call) string {
	servers := call.servers()
	switch {
	case r.Server != "" && r.Server == call.identity():
		return ""
	case r.Server != "" && call.identity() == "":
		return fmt.Sprintf("rule %s was accepted for the MCP server %s, and the client does not say which one this is", r, r.Server)
	case r.Server != "":
		return fmt.Sprintf("rule %s was accepted for the MCP server %s, and this one is %s: it is defined elsewhere or in another way", r, r.Server, call.identity())
	case len(servers) == 0 || namesEveryServer(r.Tool):
		return ""
	case len(servers) > 1:
		return fmt.Sprintf("the name %s can be read as a tool of the MCP servers %s, so that rule %s does not tell which one it means", call.Tool, strings.Join(servers, " and "), r)
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

// namesServer reports whether a pattern that matches the name of a tool of the
// server spells the server out, or its stars begin within the server's name.
func namesServer(pattern, server string) bool {
	literal, glob := literalOf(pattern)
	return pattern == mcpPrefix+server || strings.HasPrefix(pattern, mcpPrefix+server+"__") ||
		glob && !strings.Contains(strings.TrimPrefix(literal, mcpPrefix), "__")
}

// literalOf is what comes before a pattern's first star.
func literalOf(pattern string) (literal string, glob bool) {
	if i := strings.IndexAny(pattern, "*?"); i >= 0 {
		return pattern[:i], true
	}
	return pattern, false
}

// wholeServer reports whether a name is that of the call's server: "mcp__github"
// means every tool of it.
func wholeServer(pattern string, call *Call) bool {
	return strings.HasPrefix(pattern, mcpPrefix) && slices.Contains(call.servers(), pattern[len(mcpPrefix):])
}

// meansServer reports whether a name or glob that a person typed means the
// server of a called MCP tool in any case, in any reading of the name, and as
// the server is called outside of tool names. It is for what tightens.
func meansServer(pattern, called string) bool {
	// Asked of every rule that tightens: most calls are of no server.
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

// inToolName writes a server's name as clients do within a tool's: what is not
// a letter, a digit, "_" or "-" becomes "_". Stars stay.
func inToolName(pattern string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-*?", r) {
			return r
		}
		return '_'
	}, pattern)
}

// profileDoubt says why an allow pattern that names MCP tools does not hold for
// the call; empty for patterns that name none in particular.
func profileDoubt(p *ProfileAnswer, call *Call) string {
	if !strings.Contains(p.Pattern, "mcp") {
		return ""
	}
	return permitsServer(&Rule{Tool: call.Tool}, call)
}

// serverDoubt says why rules that name the call's tool do not allow it; empty
// when none does, or for another reason.
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
