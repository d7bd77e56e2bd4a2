package view

import (
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// SessionList lists sessions.
type SessionList struct {
	Sessions []store.Session `json:"sessions"`
}

// Session is a session with its remembered calls.
type Session struct {
	Session store.Session `json:"session"`
	// Calls are those of clients with named calls, the oldest first.
	Calls []protocol.CallView `json:"calls"`
}
