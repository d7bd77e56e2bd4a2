package wire

import (
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
)

// The names of notices, taken from ExAthena's hooks.
const (
	// PermissionRequest: a call needs the decision of a person or a callback.
	PermissionRequest = "PermissionRequest"
	// PermissionDenied: a call is denied, by whomever.
	PermissionDenied = "PermissionDenied"
)

// Notice reports an ask or a denial to other programs. ExAthena's members have its names.
// Everything from the agent may hold secrets: Masked removes them.
type Notice struct {
	Event string `json:"event"`
	// ID is the notice's own: a repeated one has the same.
	ID   string    `json:"id"`
	Time time.Time `json:"timestamp"`

	ToolName  string `json:"tool_name"`
	ToolUseID string `json:"tool_use_id"`
	// Arguments are the tool's input; null when it is no JSON object or has more than
	// 64 KiB.
	Arguments json.RawMessage `json:"arguments"`
	// Reason is the reason as a text, Code and Stage the same for programs.
	Reason string       `json:"reason"`
	Code   string       `json:"code"`
	Stage  engine.Stage `json:"stage"`
	// Metadata says more about the reason.
	Metadata NoticeMetadata `json:"metadata"`

	Agent    string `json:"agent"`
	SubAgent string `json:"sub_agent,omitempty"`
	Session  string `json:"session"`
	User     string `json:"user,omitempty"`
	CWD      string `json:"cwd,omitempty"`
	Action   string `json:"action,omitempty"`
	Digest   string `json:"digest,omitempty"`

	// Approver is "people", or a callback's name. Only of a request.
	Approver string `json:"approver,omitempty"`
	// Message is the sentence for the model, Outcome, DecidedBy, AskID and AuditSeq are the
	// result's. Only of a denial.
	Message   string  `json:"message,omitempty"`
	Outcome   Outcome `json:"outcome,omitempty"`
	DecidedBy string  `json:"decided_by,omitempty"`
	AskID     string  `json:"ask_id,omitempty"`
	AuditSeq  int64   `json:"audit_seq,omitempty"`
}

// NoticeMetadata is the subject of a reason.
type NoticeMetadata struct {
	Mode engine.Mode `json:"mode"`
	// Rule is the text of the deciding rule.
	Rule string `json:"rule,omitempty"`
	// Offending are the parts of the call behind the decision, Permitted the allowed alternatives;
	// empty when unknown.
	Offending []string `json:"offending,omitempty"`
	Permitted []string `json:"permitted,omitempty"`
	// ConvertedBy says why an ask became a denial.
	ConvertedBy  string `json:"converted_by,omitempty"`
	BypassImmune bool   `json:"bypass_immune,omitempty"`
}
