package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/store"
)

// The codes of errors, stable words for programs.
const (
	CodeBadRequest      = "bad_request"
	CodeInvalidJSON     = "invalid_json"
	CodeUnknownField    = "unknown_field"
	CodeAutoReserved    = "auto_reserved"
	CodeUnauthorized    = "unauthorized"
	CodeForbidden       = "forbidden"
	CodePresence        = "presence_required" // the PIN has to be typed first
	CodeNoPIN           = "no_pin"
	CodeWrongPIN        = "wrong_pin"
	CodePINLocked       = "pin_locked"
	CodeNoTerminal      = "no_terminal"
	CodeBadHost         = "bad_host"
	CodeBrowser         = "browser_refused"
	CodeNotFound        = "not_found"
	CodeSettled         = "already_settled"
	CodeNotShown        = "not_shown"
	CodeUnconfirmed     = "needs_confirmation"
	CodeNotApprover     = "not_approver" // may not answer this ask, or not so
	CodeNotGranted      = "not_granted"  // the roles do not cover it
	CodeConflict        = "conflict"
	CodeNameTaken       = "name_taken"     // by another tool module
	CodeModuleRefused   = "module_refused" // it cannot be used
	CodeNeedsGrant      = "needs_grant"    // it describes itself otherwise than when it was granted
	CodeSignature       = "bad_signature"  // missing, of an unknown key, or not of this module
	CodeTooLarge        = "too_large"
	CodeMediaType       = "unsupported_media_type"
	CodeTooManyRequests = "too_many_requests"
	CodeInternal        = "internal"
	CodeUnavailable     = "unavailable"
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

// problem is the body of every answer that is an error.
type problem struct {
	Error *Error `json:"error"`
	// Decision denies.
	Decision engine.Decision `json:"decision"`
}

func problemOf(e *Error) problem {
	return problem{Error: e, Decision: engine.Decision{
		Stage: engine.StageError, Code: e.Code, Reason: e.Error(), Message: "The call was denied: " + e.Error() + ".",
	}}
}

func failure(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

func badField(field, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: CodeBadRequest, Message: message, Field: field}
}

// known are the errors of the rooms below that have a status of their own, the
// more particular ones first.
var known = []struct {
	err    error
	status int
	code   string
}{
	{engine.ErrAutoReserved, http.StatusBadRequest, CodeAutoReserved},
	{gate.ErrNotEntitled, http.StatusForbidden, CodeForbidden},
	{gate.ErrBadRequest, http.StatusBadRequest, CodeBadRequest},
	{gate.ErrBadRule, http.StatusBadRequest, CodeBadRequest},
	{ask.ErrNotApprover, http.StatusForbidden, CodeNotApprover},
	{people.ErrNotGranted, http.StatusForbidden, CodeNotGranted},
	{gate.ErrUnknownProfile, http.StatusBadRequest, CodeBadRequest},
	{gate.ErrNoGivenProfile, http.StatusConflict, CodeConflict},
	{ask.ErrBadAnswer, http.StatusBadRequest, CodeBadRequest},
	{ask.ErrUnknown, http.StatusNotFound, CodeNotFound},
	{store.ErrNotFound, http.StatusNotFound, CodeNotFound},
	{presence.ErrLockedOut, http.StatusForbidden, CodePINLocked},
	{presence.ErrWrong, http.StatusForbidden, CodeWrongPIN},
	{presence.ErrNoPIN, http.StatusConflict, CodeNoPIN},
	{presence.ErrNoReset, http.StatusConflict, CodeConflict},
	{presence.ErrWeak, http.StatusBadRequest, CodeBadRequest},
	{presence.ErrNoTerminal, http.StatusForbidden, CodeNoTerminal},
	{store.ErrTokenExists, http.StatusConflict, CodeConflict},
	{modules.ErrBadGrant, http.StatusBadRequest, CodeBadRequest},
	{modules.ErrChangedSince, http.StatusConflict, CodeConflict},
	{modules.ErrNeedsGrant, http.StatusConflict, CodeNeedsGrant},
	{modules.ErrNotInForce, http.StatusConflict, CodeModuleRefused},
	{catalog.ErrNameTaken, http.StatusConflict, CodeNameTaken},
	{catalog.ErrRefused, http.StatusConflict, CodeModuleRefused},
	{pin.ErrNotPinned, http.StatusNotFound, CodeNotFound},
	{pin.ErrNoPrevious, http.StatusConflict, CodeConflict},
	{pin.ErrUnsigned, http.StatusConflict, CodeSignature},
	{pin.ErrUnknownKey, http.StatusConflict, CodeSignature},
	{pin.ErrBadSignature, http.StatusConflict, CodeSignature},
	{store.ErrAuditBroken, http.StatusConflict, CodeConflict},
	{gate.ErrForkNarrows, http.StatusConflict, CodeConflict},
	{store.ErrLastAdmin, http.StatusConflict, CodeConflict},
	{ask.ErrSettled, http.StatusConflict, CodeSettled},
	{ask.ErrNotShown, http.StatusConflict, CodeNotShown},
	{ask.ErrUnconfirmed, http.StatusConflict, CodeUnconfirmed},
	{ask.ErrNotPaused, http.StatusConflict, CodeConflict},
	{config.ErrNothingPending, http.StatusConflict, CodeConflict},
	{config.ErrChangedSince, http.StatusConflict, CodeConflict},
	{ask.ErrClosed, http.StatusServiceUnavailable, CodeUnavailable},
	{store.ErrClosed, http.StatusServiceUnavailable, CodeUnavailable},
}

// errorOf turns any error into one for the wire. What is not known is internal:
// its text may hold paths of the daemon, so only an admin sees it.
func errorOf(err error, caller gate.Caller) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), gate.ErrBadRequest.Error()+": "), gate.ErrBadRule.Error()+": ")
			return &Error{Status: k.status, Code: k.code, Message: text, Field: leadingField(text, k.err)}
		}
	}
	if caller.Standing == gate.Admin {
		return failure(http.StatusInternalServerError, CodeInternal, err.Error())
	}
	return failure(http.StatusInternalServerError, CodeInternal, "the gate failed: its log says why")
}

// leadingField is the member that a gate's error begins with ("context.mode:
// unknown mode ...").
func leadingField(text string, of error) string {
	if of != gate.ErrBadRequest && of != gate.ErrBadRule && of != engine.ErrAutoReserved {
		return ""
	}
	name, _, found := strings.Cut(text, ": ")
	if !found || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_.[]0123456789") != "" {
		return ""
	}
	return name
}
