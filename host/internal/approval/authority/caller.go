package authority

import "errors"

// TokenKind is the kind of a caller's token: it bounds the caller's operations. The zero value may
// only have its own calls checked.
type TokenKind uint8

// The kinds of tokens. A call's claims may narrow, never widen.
const (
	// Checker may check its own agent's calls; its claims only narrow.
	Checker TokenKind = iota
	// Integrator may check for any agent and is believed.
	Integrator
	// Approver may see and answer asks, and change rules and sessions; it checks
	// no calls.
	Approver
	// Admin may do everything.
	Admin
)

// Caller is who put a request: the holder of a token.
type Caller struct {
	// Token names the token, never its secret. Sessions belong to it.
	Token string
	Kind  TokenKind
	// Agent is the one agent a Checker speaks for.
	Agent string
	// Epoch is store.Store.Epoch before the token was looked up; 0 when the token is known to be in
	// force.
	Epoch int64
}

// Believed reports whether the caller's claims are taken as they are.
func (c Caller) Believed() bool { return c.Kind == Integrator || c.Kind == Admin }

// ErrBadRequest marks a malformed request: a denial with a reason for the caller to fix. Test
// for it with errors.Is.
var ErrBadRequest = errors.New("bad request")

// ErrNotEntitled marks a request beyond the caller's token.
var ErrNotEntitled = errors.New("not entitled")

// CodeNotGranted is a denial because the person's roles do not cover the grant.
const CodeNotGranted = "not_granted"
