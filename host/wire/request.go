// Package wire holds the JSON between Callgate and clients, callbacks and webhooks: types only. It
// imports package engine alone, so a client needs nothing of the gate. Everything in host may
// import it.
package wire

import (
	"encoding/json"
	"time"
)

// Request is one call to be checked.
type Request struct {
	// CallID is the client's own id of the call (tool_use_id); an approval belongs to it. With an
	// empty one every request is a call of its own.
	CallID string          `json:"call_id,omitempty"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	// Context is the request's description of the call.
	Context CallContext `json:"context,omitzero"`
	// Reports means the client reports the end of each call (Gate.Finish). Then a repeated call
	// gets the same answer again under the same id and digest until it has ended, ten minutes at
	// most, and while calls are under way, others with relative paths are not allowed.
	Reports bool `json:"reports,omitempty"`
	// FollowsUp means the client repeats an earlier call, without its id: an allow of the same
	// token, session, tool and input, not ended and at most ten minutes old, gives the same answer;
	// anything else is judged as a new call.
	FollowsUp bool `json:"follows_up,omitempty"`
	// TakesInput tells that the client runs the call with Result.Input where the result
	// has one: then a person may change the input and approve that.
	TakesInput bool `json:"takes_input,omitempty"`
	// Texts name members of Input that are texts for people, such as definitions of tools: no word in
	// them is a target of the call. Only the daemon's own questions have any, never a request from
	// outside.
	Texts []string `json:"-"`
	// Timeout bounds the wait for a human, the time in the queue included; 0 means the agent's
	// setting, counted from the moment the card is shown. It can only shorten this time.
	Timeout time.Duration `json:"-"`
	// Traceparent names the agent's trace and the span around this call, as the value of W3C's
	// traceparent header; empty or invalid means none. It decides nothing.
	Traceparent string `json:"-"`
}

// CallContext is a request's description of a call. All members are optional.
type CallContext struct {
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	User    string `json:"user,omitempty"`
	// Roles and Administrator are of User; left out, they come from the configuration's people.
	// Like User they count only from a trusted caller.
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	// SubAgent names the client's calling sub-agent; it is shown and decides nothing.
	SubAgent string `json:"sub_agent,omitempty"`
	// SubAgentType is the client's name for this kind of sub-agent. It chooses an entry of the
	// operator's sub_agents. An entry only narrows.
	SubAgentType string `json:"sub_agent_type,omitempty"`
	// Child narrows the call to a sub-agent's permissions.
	Child *Child `json:"child,omitempty"`
	// Client is the client's name: "claude-code", or empty. The daemon knows this client's own
	// directories and makes them working directories for this session.
	Client string `json:"client,omitempty"`
	// Mode is the client's own mode; from a Checker it may only tighten.
	Mode               string   `json:"mode,omitempty"`
	CWD                string   `json:"cwd,omitempty"`
	Home               string   `json:"home,omitempty"`
	WorkingDirectories []string `json:"working_directories,omitempty"`
	Kind               string   `json:"kind,omitempty"`
	Resumed            bool     `json:"resumed,omitempty"`
	// ActiveSkills maps a skill to its allowed-tools; null does not restrict.
	ActiveSkills map[string][]string `json:"active_skills,omitempty"`
	// Annotations are MCP hints; they never widen.
	Annotations json.RawMessage `json:"annotations,omitempty"`
	// Server is the MCP server of an MCP tool.
	Server *Server `json:"server,omitempty"`
}

// ClaudeCode is CallContext.Client of Claude Code.
const ClaudeCode = "claude-code"

// Child marks a sub-agent's call, with the sub-agent's highest permissions. It only narrows: a call
// is decided with its parents' permissions as well, and the strictest answer counts. RATIONALE.md,
// "Why is a child decided at every level?".
type Child struct {
	// Name is its owner, for reasons.
	Name string `json:"name,omitempty"`
	// Mode is the sub-agent's; empty means its parent's.
	Mode string `json:"mode,omitempty"`
	// AllowedTools null does not restrict; an empty list allows nothing.
	AllowedTools    []string `json:"allowed_tools,omitzero"`
	DisallowedTools []string `json:"disallowed_tools,omitempty"`
	// WorkingDirectories null leaves the parent's.
	WorkingDirectories []string `json:"working_directories,omitzero"`
	// Child is the sub-agent's own calling sub-agent.
	Child *Child `json:"child,omitempty"`
}

// Server is the MCP server of a call, as reported by its client. It narrows: a rule for the tool's
// name may not hold for this server.
type Server struct {
	// Name is the server's name as it stands in the tool's, mcp__NAME__TOOL.
	Name string `json:"name"`
	// Source is the client's word for where the server is defined.
	Source string `json:"source,omitempty"`
	// Definition is a digest of all definitions of this name in this place; empty where the client
	// can read none.
	Definition string `json:"definition,omitempty"`
	// Doubt is one of the words below; empty when the client has none.
	Doubt string `json:"doubt,omitempty"`
}

// A client's doubts of a server.
const (
	// DoubtNotFound: there is no definition at the client's place.
	DoubtNotFound = "not_found"
	// DoubtUnreadable: a file of definitions could not be read.
	DoubtUnreadable = "unreadable"
	// DoubtClaimedTwice: servers of several places have the name.
	DoubtClaimedTwice = "claimed_twice"
)
