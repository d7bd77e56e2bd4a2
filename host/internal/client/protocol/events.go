package protocol

import (
	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// Decided is a decision as the events tell it: without the input.
type Decided struct {
	Tool     string          `json:"tool"`
	Agent    string          `json:"agent,omitempty"`
	Session  string          `json:"session,omitempty"`
	CallID   string          `json:"call_id,omitempty"`
	Behavior engine.Behavior `json:"behavior"`
	Outcome  string          `json:"outcome"`
	Stage    engine.Stage    `json:"stage,omitempty"`
	Code     string          `json:"code,omitempty"`
	// Rule is the text of the deciding rule.
	Rule      string `json:"rule,omitempty"`
	AskID     string `json:"ask_id,omitempty"`
	DecidedBy string `json:"decided_by,omitempty"`
	// ModuleDigest is the SHA-256 of the answering module.
	ModuleDigest string `json:"module_digest,omitempty"`
	AuditSeq     int64  `json:"audit_seq,omitempty"`
	Micros       int64  `json:"micros"`
}

// ConfigChange reports a new reading of the configuration.
type ConfigChange struct {
	File string `json:"file"`
	// Error says why the old configuration stays; empty when the new one holds.
	Error string `json:"error,omitempty"`
	// Pending is how many changes of it wait until a person accepts the file;
	// the rest of it holds.
	Pending int `json:"pending,omitempty"`
}

// Compiling reports the compilation of a tool module before its test. It takes seconds.
type Compiling struct {
	File string `json:"file"`
}

// Mismatch reports a call with another input than judged; its session is stopped for it.
type Mismatch struct {
	Tool    string `json:"tool"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	CallID  string `json:"call_id"`
	Reason  string `json:"reason"`
}

// The names of events besides those of asks ("ask"). All data is JSON.
const (
	// EventReady is the first event: from here on nothing is missed.
	EventReady = "ready"
	// EventAsk carries an ask.Event.
	EventAsk = "ask"
	// EventDecision carries a Decided.
	EventDecision = "decision"
	// EventConfig carries a ConfigChange.
	EventConfig = "config"
	// EventMismatch carries a Mismatch.
	EventMismatch = "mismatch"
	// EventModuleCompiling carries a Compiling.
	EventModuleCompiling = "module_compiling"
	// EventModuleSwapped and EventModuleRefused carry a wire.ModuleSwap: a new, removed or replaced
	// tool module, and a refused one.
	EventModuleSwapped = "module_swapped"
	EventModuleRefused = "module_refused"
	// EventPermissionRequest, EventPermissionDenied and EventHookAlarm carry a wire.Notice.
	EventPermissionRequest = wire.PermissionRequest
	EventPermissionDenied  = wire.PermissionDenied
	EventHookAlarm         = wire.HookAlarm
	// EventLagged means the reader was too slow and missed events.
	EventLagged = "lagged"
)
