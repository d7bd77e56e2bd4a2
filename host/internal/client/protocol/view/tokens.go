package view

import (
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// NewToken is a token to be made.
type NewToken struct {
	// Kind is check, approver, admin or integrator.
	Kind store.TokenKind `json:"kind"`
	// Name is the token's; a check token is named by its agent.
	Name string `json:"name,omitempty"`
	// Agent is the configured agent of a check token.
	Agent string `json:"agent,omitempty"`
	// ExpiresAt is when it stops working; zero is never.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// MadeToken is a token with its secret, shown only now.
type MadeToken struct {
	Token  store.Token `json:"token"`
	Secret string      `json:"secret"`
	// File is the daemon's file with the secret for its user; empty for a token kept by its user.
	File string `json:"file,omitempty"`
}

// TokenList lists tokens.
type TokenList struct {
	Tokens []store.Token `json:"tokens"`
}
