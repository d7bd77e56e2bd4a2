package wire

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
)

// Result is the answer to a Request. The zero value denies.
type Result struct {
	Decision engine.Decision `json:"decision"`
	// Outcome is the audit's word; empty from Evaluate, because Evaluate is not audited.
	Outcome Outcome `json:"outcome"`
	// AskID is set when a human was asked.
	AskID string `json:"ask_id,omitempty"`
	// DecidedBy is the person who answered.
	DecidedBy string          `json:"decided_by,omitempty"`
	Action    string          `json:"action,omitempty"`
	Targets   []engine.Target `json:"targets,omitempty"`
	// Effects are the call's effects, in fixed kinds: docs/effects.md.
	Effects []engine.Effect `json:"effects,omitempty"`
	// Digest is the SHA-256 of tool, input and cwd.
	Digest string `json:"digest,omitempty"`
	// Input is the whole input to run in place of the request's, as a person changed it.
	// Only an allow of a request with TakesInput has one.
	Input json.RawMessage `json:"input,omitempty"`
	// Module is the name and the version of the tool's answering module, ModuleDigest the SHA-256
	// of its bytes.
	Module       string `json:"module,omitempty"`
	ModuleDigest string `json:"module_digest,omitempty"`
	// AuditSeq is the audit row; 0 from Evaluate.
	AuditSeq int64 `json:"audit_seq,omitempty"`
	// Micros is how long the decision took in microseconds, waiting left out.
	Micros int64 `json:"micros"`
}

// Outcome is a call's outcome: the audit's column "decision". The zero value is none at all and is
// refused for a decision.
type Outcome string

// The outcomes.
const (
	Allowed      Outcome = "allow"
	Denied       Outcome = "deny"
	AskApproved  Outcome = "ask_approved"
	AskDenied    Outcome = "ask_denied"
	AskTimeout   Outcome = "ask_timeout"
	AskCancelled Outcome = "ask_cancelled"
)

// Valid reports whether it is one of the outcomes.
func (o Outcome) Valid() bool {
	switch o {
	case Allowed, Denied, AskApproved, AskDenied, AskTimeout, AskCancelled:
		return true
	}
	return false
}
