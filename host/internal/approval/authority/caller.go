package authority

import "errors"

// Standing is the entitlement of a caller's token. The zero value may only have its own calls
// checked.
type Standing uint8

// The standings of tokens. A call's claims may narrow, never widen.
const (
	// Checker may check its own agent's calls; its claims only narrow.
	Checker Standing = iota
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
	Token    string
	Standing Standing
	// Agent is the one agent a Checker speaks for.
	Agent string
}

// Believed reports whether the caller's claims are taken as they are.
func (c Caller) Believed() bool { return c.Standing == Integrator || c.Standing == Admin }

// ErrBadRequest marks a malformed request: a denial with a reason for the caller to fix. Test
// for it with errors.Is.
var ErrBadRequest = errors.New("bad request")

// ErrNotEntitled marks a request beyond the caller's token.
var ErrNotEntitled = errors.New("not entitled")

// CodeNotGranted is a denial because the person's roles do not cover the grant.
const CodeNotGranted = "not_granted"
