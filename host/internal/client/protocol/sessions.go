package protocol

import (
	"time"

	"github.com/callgate/callgate/host/wire"
)

// CallView is one judged call; its input is in the audit.
type CallView struct {
	CallID  string       `json:"call_id"`
	Tool    string       `json:"tool"`
	CWD     string       `json:"cwd,omitempty"`
	Outcome wire.Outcome `json:"outcome"`
	// AskID is the ask answered by a person.
	AskID    string    `json:"ask_id,omitempty"`
	JudgedAt time.Time `json:"judged_at"`
	// FinishedAt is when the client reported the call's end.
	FinishedAt time.Time `json:"finished_at,omitzero"`
	AuditSeq   int64     `json:"audit_seq"`
}

// Interrupted is how many asks of a session were cancelled.
type Interrupted struct {
	Asks int `json:"asks"`
}
