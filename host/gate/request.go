package gate

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// Standing is what a caller's token entitles it to. The zero value may only
// have its own calls checked.
type Standing uint8

// The standings of tokens. Source: design section 1, "what a call says about
// itself may narrow, never widen".
const (
	// Checker may check its own agent's calls; what it claims only narrows.
	Checker Standing = iota
	// Integrator may check for any agent and is believed.
	Integrator
	// Approver may see and answer asks, and change rules and sessions; it checks
	// no calls.
	Approver
	// Admin may do everything.
	Admin
)

// Caller is who put a request: the holder of a token.
type Caller struct {
	// Token names the token, never its secret. Sessions belong to it.
	Token    string
	Standing Standing
	// Agent is the one agent a Checker speaks for.
	Agent string
}

// believed reports whether the caller's claims are taken as they are.
func (c Caller) believed() bool { return c.Standing == Integrator || c.Standing == Admin }

// Claim is what a request says of itself. All members are optional.
type Claim struct {
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	User    string `json:"user,omitempty"`
	// Roles and Administrator are of User; left out, the configuration's people say
	// it. Like User they count only from a caller that is believed.
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	// SubAgent names the sub-agent of the client that makes the call; it is shown
	// and decides nothing.
	SubAgent string `json:"sub_agent,omitempty"`
	// SubAgentType is the client's name for that kind of sub-agent. It chooses what the
	// operator's sub_agents say, which only narrows.
	SubAgentType string `json:"sub_agent_type,omitempty"`
	// Child narrows the call to what a sub-agent may do.
	Child *ChildClaim `json:"child,omitempty"`
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
	Server *ServerClaim `json:"server,omitempty"`
}

// Request is one call to be checked.
type Request struct {
	// CallID is the client's own id of the call (tool_use_id); an approval
	// belongs to it. Empty means that every request is a call of its own.
	CallID string          `json:"call_id,omitempty"`
	Tool   string          `json:"tool"`
	Input  json.RawMessage `json:"input"`
	// Context is what the call says of itself.
	Context Claim `json:"context,omitzero"`
	// Reports tells that the client reports the end of each call (Gate.Finish).
	// Then a call that was answered gets the same answer again under the same id
	// and digest until it has ended, ten minutes at most, and calls that have not
	// ended keep relative paths of others from being allowed.
	Reports bool `json:"reports,omitempty"`
	// FollowsUp tells that the client asks again about a call it has already put,
	// without its id: an allow of the same token, session, tool and input, not
	// ended and at most ten minutes old, is answered the same; anything else is
	// judged as a new call.
	FollowsUp bool `json:"follows_up,omitempty"`
	// Timeout bounds the wait for a human, the time in the queue included; 0
	// means the agent's setting, which counts from when the card is shown. It can
	// only shorten that.
	Timeout time.Duration `json:"-"`
}

// Result is the answer to a Request. The zero value denies.
type Result struct {
	Decision engine.Decision `json:"decision"`
	// Outcome is the audit's word; empty from Evaluate, which is not audited.
	Outcome store.Outcome `json:"outcome"`
	// AskID is set when a human was asked.
	AskID string `json:"ask_id,omitempty"`
	// DecidedBy is the person who answered.
	DecidedBy string          `json:"decided_by,omitempty"`
	Action    string          `json:"action,omitempty"`
	Targets   []engine.Target `json:"targets,omitempty"`
	// Digest is the SHA-256 of tool, input and cwd.
	Digest string `json:"digest,omitempty"`
	// Module is the name and the version of the module that answered for the tool,
	// ModuleDigest the SHA-256 of its bytes.
	Module       string `json:"module,omitempty"`
	ModuleDigest string `json:"module_digest,omitempty"`
	// AuditSeq is the audit row; 0 from Evaluate.
	AuditSeq int64 `json:"audit_seq,omitempty"`
	// Micros is how long the decision took in microseconds, waiting left out.
	Micros int64 `json:"micros"`
}

// Progress is told how a waiting call stands; it must not block for long.
type Progress func(ask.Event)

// ErrBadRequest marks a request that is malformed: a denial with a reason that
// the caller can mend. Test for it with errors.Is.
var ErrBadRequest = errors.New("bad request")

// ErrNotEntitled marks a request that the caller's token does not cover.
var ErrNotEntitled = errors.New("not entitled")
