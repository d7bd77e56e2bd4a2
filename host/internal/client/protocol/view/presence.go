package view

import (
	"github.com/callgate/callgate/host/internal/approval/pin"
)

// Presence is how the PIN stands, for one who asks.
type Presence struct {
	pin.Status
	// Terminal reports whether the daemon saw the caller at a terminal.
	Terminal bool `json:"terminal"`
	// Ticket came of an unlocking where no terminal can be seen; send it as the
	// header Callgate-Ticket.
	Ticket pin.Ticket `json:"ticket,omitempty"`
}
