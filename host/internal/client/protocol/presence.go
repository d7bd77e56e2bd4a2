package protocol

// Unlock is the PIN typed by a person.
type Unlock struct {
	PIN string `json:"pin"`
}

// SetPIN chooses a PIN.
type SetPIN struct {
	// Old is the present PIN; empty for the first.
	Old string `json:"old,omitempty"`
	PIN string `json:"pin"`
}

// ResetPIN requests the removal of the PIN, or withdraws the request.
type ResetPIN struct {
	Cancel bool `json:"cancel,omitempty"`
}

// TicketHeader carries an unlock's result where no terminal is visible.
const TicketHeader = "Callgate-Ticket"
