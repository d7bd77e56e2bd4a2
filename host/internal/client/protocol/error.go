package protocol

import (
	"errors"
	"strings"

	"github.com/callgate/callgate/engine"
)

// The codes of errors, stable words for programs.
const (
	CodeBadRequest      = "bad_request"            // a member or parameter is wrong; the error names it
	CodeInvalidJSON     = "invalid_json"           // the body is not strict JSON
	CodeUnknownField    = "unknown_field"          // the body has a member unknown to the API
	CodeAutoReserved    = "auto_reserved"          // the mode auto is not available
	CodeUnauthorized    = "unauthorized"           // no token, or one not in force
	CodeForbidden       = "forbidden"              // the token's kind may not do this
	CodePresence        = "presence_required"      // type the approver PIN first: callgate pin unlock
	CodeNoPIN           = "no_pin"                 // no PIN is set: callgate pin set
	CodeWrongPIN        = "wrong_pin"              // the PIN is wrong; five in a row lock it
	CodePINLocked       = "pin_locked"             // locked after five wrong PINs: callgate pin reset
	CodeNoTerminal      = "no_terminal"            // the client has no terminal to unlock
	CodeBadHost         = "bad_host"               // the Host header does not name the loopback
	CodeBrowser         = "browser_refused"        // the request comes from a web page
	CodeNotFound        = "not_found"              // no such ask, rule, session, tool, module or token
	CodeSettled         = "already_settled"        // the ask has ended
	CodeNotShown        = "not_shown"              // the approver accepts a rule missing on the card
	CodeUnconfirmed     = "needs_confirmation"     // the card was cut: confirm with the ask's id
	CodeNotApprover     = "not_approver"           // this person may not answer the ask, or not so
	CodePasskey         = "passkey_required"       // the approval takes the person's passkey, in the console
	CodeNotSigned       = "not_signed"             // the passkey's signature does not count
	CodeNotGranted      = "not_granted"            // the person's roles do not cover the grant
	CodeConflict        = "conflict"               // the state changed, or does not permit this now
	CodeNameTaken       = "name_taken"             // another tool module has the tool name
	CodeModuleRefused   = "module_refused"         // the module cannot be loaded; the error says why
	CodeNeedsGrant      = "needs_grant"            // the module's description changed: grant it again
	CodeSignature       = "bad_signature"          // missing, by an unknown key, or of other bytes
	CodeTooLarge        = "too_large"              // the body is over 16 MiB
	CodeMediaType       = "unsupported_media_type" // send Content-Type: application/json
	CodeTooManyRequests = "too_many_requests"      // try again in a moment
	CodeInternal        = "internal"               // the daemon failed; its log says why
	CodeUnavailable     = "unavailable"            // the daemon is stopping; try again
)

// Error is an error as it goes over the wire. The server's handlers return it,
// the client gives it back.
type Error struct {
	// Status is the HTTP status; not in the body.
	Status int `json:"-"`
	// Code is one of the Code constants.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Field names the member or parameter at fault, dotted from the top; empty
	// when it is not about one.
	Field string `json:"field,omitempty"`
}

// Error implements error.
func (e *Error) Error() string {
	if e.Field != "" && !strings.HasPrefix(e.Message, e.Field) {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Problem is the body of every error answer.
type Problem struct {
	Error *Error `json:"error"`
	// Decision denies.
	Decision engine.Decision `json:"decision"`
}

// NeedsPresence reports whether the daemon refused because the PIN is not typed here: after Unlock
// the same request may succeed.
func NeedsPresence(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodePresence
}

// NeedsPasskey reports whether the daemon refused because the approval takes the person's passkey:
// with it the same answer may count.
func NeedsPasskey(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodePasskey
}

// NotSigned reports whether the daemon refused a passkey's signature.
func NotSigned(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodeNotSigned
}
