package protocol

import "time"

// Progress is how a waiting check stands.
type Progress struct {
	// State is "queued", "shown", another event of the ask, or "heartbeat".
	State string `json:"state"`
	AskID string `json:"ask_id,omitempty"`
	// Position is the ask's place in the queue; 0 when it is not queued.
	Position int `json:"position,omitempty"`
	// Deadline is when a shown ask denies by itself.
	Deadline time.Time `json:"deadline,omitzero"`
	// Reason is why it asks.
	Reason string `json:"reason,omitempty"`
}

// StateHeartbeat is the State of a Progress without news.
const StateHeartbeat = "heartbeat"
