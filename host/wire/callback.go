package wire

import (
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
)

// CallbackRequest is a callback's view of an ask. The input is whole: the decider must see all of
// it.
type CallbackRequest struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Context says where and for whom the call runs.
	Context CallbackContext `json:"context"`
	// Stage, Code and Reason say why it asks, as in engine.Decision; Rule is the text of the asking
	// rule.
	Stage        engine.Stage `json:"stage"`
	Code         string       `json:"code"`
	Reason       string       `json:"reason"`
	Rule         string       `json:"rule,omitempty"`
	BypassImmune bool         `json:"bypass_immune"`
	// Offending are the parts of the call without a rule, where known.
	Offending []string        `json:"offending,omitempty"`
	Action    string          `json:"action,omitempty"`
	Targets   []engine.Target `json:"targets,omitempty"`
	// Changed describes differences from the call allowed a moment ago.
	Changed []string `json:"changed,omitempty"`
	// Card is the ask as Callgate's own surfaces draw it, in its order.
	Card []CardLine `json:"card"`
	// CallID is the client's id of the call, Digest the SHA-256 of tool, input and cwd.
	CallID string `json:"call_id"`
	Digest string `json:"digest"`
	// Deadline is when the answer is too late.
	Deadline time.Time `json:"deadline"`
}

// CallbackContext is a callback's view of a call's surroundings.
type CallbackContext struct {
	Agent              string      `json:"agent"`
	SubAgent           string      `json:"sub_agent,omitempty"`
	Session            string      `json:"session"`
	User               string      `json:"user,omitempty"`
	Mode               engine.Mode `json:"mode"`
	Kind               engine.Kind `json:"kind,omitempty"`
	Resumed            bool        `json:"resumed,omitempty"`
	CWD                string      `json:"cwd,omitempty"`
	WorkingDirectories []string    `json:"working_directories,omitempty"`
	ProjectRoot        string      `json:"project_root,omitempty"`
}
