package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/approval/push"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
)

func problemOf(e *protocol.Error) protocol.Problem {
	return protocol.Problem{Error: e, Decision: engine.Decision{
		Stage: engine.StageError, Code: e.Code, Reason: e.Error(), Message: "Denied: " + e.Error() + ".",
	}}
}

func failure(status int, code, message string) *protocol.Error {
	return &protocol.Error{Status: status, Code: code, Message: message}
}

func badField(field, message string) *protocol.Error {
	return &protocol.Error{Status: http.StatusBadRequest, Code: protocol.CodeBadRequest, Message: message, Field: field}
}

// known are the errors of the rooms below with a status of their own, the more particular ones
// first.
var known = []struct {
	err    error
	status int
	code   string
}{
	{engine.ErrAutoReserved, http.StatusBadRequest, protocol.CodeAutoReserved},
	{authority.ErrNotEntitled, http.StatusForbidden, protocol.CodeForbidden},
	{authority.ErrBadRequest, http.StatusBadRequest, protocol.CodeBadRequest},
	{ruletest.ErrBadRule, http.StatusBadRequest, protocol.CodeBadRequest},
	{ask.ErrNotApprover, http.StatusForbidden, protocol.CodeNotApprover},
	{passkey.ErrNotSigned, http.StatusForbidden, protocol.CodeNotSigned},
	{passkey.ErrNoPasskey, http.StatusConflict, protocol.CodePasskey},
	{passkey.ErrEnrol, http.StatusBadRequest, protocol.CodeBadRequest},
	{push.ErrBadSubscription, http.StatusBadRequest, protocol.CodeBadRequest},
	{approvers.ErrNotGranted, http.StatusForbidden, protocol.CodeNotGranted},
	{folder.ErrRefused, http.StatusBadRequest, protocol.CodeBadRequest},
	{folder.ErrUnknown, http.StatusNotFound, protocol.CodeNotFound},
	{mcptools.ErrRequest, http.StatusBadRequest, protocol.CodeBadRequest},
	{mcptools.ErrUnknown, http.StatusNotFound, protocol.CodeNotFound},
	{profiles.ErrUnknownProfile, http.StatusBadRequest, protocol.CodeBadRequest},
	{profiles.ErrNoGivenProfile, http.StatusConflict, protocol.CodeConflict},
	{ask.ErrBadAnswer, http.StatusBadRequest, protocol.CodeBadRequest},
	{ask.ErrUnknown, http.StatusNotFound, protocol.CodeNotFound},
	{store.ErrNotFound, http.StatusNotFound, protocol.CodeNotFound},
	{pin.ErrLockedOut, http.StatusForbidden, protocol.CodePINLocked},
	{pin.ErrWrong, http.StatusForbidden, protocol.CodeWrongPIN},
	{pin.ErrNoPIN, http.StatusConflict, protocol.CodeNoPIN},
	{pin.ErrNoReset, http.StatusConflict, protocol.CodeConflict},
	{pin.ErrWeak, http.StatusBadRequest, protocol.CodeBadRequest},
	{pin.ErrNoTerminal, http.StatusForbidden, protocol.CodeNoTerminal},
	{store.ErrTokenExists, http.StatusConflict, protocol.CodeConflict},
	{modules.ErrBadGrant, http.StatusBadRequest, protocol.CodeBadRequest},
	{modules.ErrChangedSince, http.StatusConflict, protocol.CodeConflict},
	{modules.ErrNeedsGrant, http.StatusConflict, protocol.CodeNeedsGrant},
	{modules.ErrNotInForce, http.StatusConflict, protocol.CodeModuleRefused},
	{modules.ErrNameTaken, http.StatusConflict, protocol.CodeNameTaken},
	{modules.ErrRefused, http.StatusConflict, protocol.CodeModuleRefused},
	{modules.ErrNotPinned, http.StatusNotFound, protocol.CodeNotFound},
	{modules.ErrNoPrevious, http.StatusConflict, protocol.CodeConflict},
	{modules.ErrUnsigned, http.StatusConflict, protocol.CodeSignature},
	{modules.ErrUnknownKey, http.StatusConflict, protocol.CodeSignature},
	{modules.ErrBadSignature, http.StatusConflict, protocol.CodeSignature},
	{store.ErrAuditBroken, http.StatusConflict, protocol.CodeConflict},
	{notary.ErrSize, http.StatusConflict, protocol.CodeConflict},
	{notary.ErrOtherKey, http.StatusConflict, protocol.CodeConflict},
	{admin.ErrForkNarrows, http.StatusConflict, protocol.CodeConflict},
	{store.ErrLastAdmin, http.StatusConflict, protocol.CodeConflict},
	{ask.ErrSettled, http.StatusConflict, protocol.CodeSettled},
	{ask.ErrNotShown, http.StatusConflict, protocol.CodeNotShown},
	{ask.ErrUnconfirmed, http.StatusConflict, protocol.CodeUnconfirmed},
	{ask.ErrNotPaused, http.StatusConflict, protocol.CodeConflict},
	{config.ErrNothingPending, http.StatusConflict, protocol.CodeConflict},
	{config.ErrChangedSince, http.StatusConflict, protocol.CodeConflict},
	{ask.ErrClosed, http.StatusServiceUnavailable, protocol.CodeUnavailable},
	{store.ErrClosed, http.StatusServiceUnavailable, protocol.CodeUnavailable},
}

// errorOf turns any error into one for the wire. Unknown ones are internal: the text may hold paths
// of the daemon, so only an admin sees it.
func errorOf(err error, caller authority.Caller) *protocol.Error {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e
	}
	var not *ask.NotApproverError
	if errors.As(err, &not) && not.Unsigned {
		return failure(http.StatusForbidden, protocol.CodePasskey, not.Reason)
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), authority.ErrBadRequest.Error()+": "), ruletest.ErrBadRule.Error()+": ")
			return &protocol.Error{Status: k.status, Code: k.code, Message: text, Field: leadingField(text, k.err)}
		}
	}
	if caller.Kind == authority.Admin {
		return failure(http.StatusInternalServerError, protocol.CodeInternal, err.Error())
	}
	return failure(http.StatusInternalServerError, protocol.CodeInternal, "internal error; see the daemon's log")
}

// leadingField is the member at the beginning of a gate's error ("context.mode: unknown mode ...").
func leadingField(text string, of error) string {
	if !errors.Is(of, authority.ErrBadRequest) && !errors.Is(of, ruletest.ErrBadRule) && !errors.Is(of, engine.ErrAutoReserved) {
		return ""
	}
	name, _, found := strings.Cut(text, ": ")
	if !found || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_.[]0123456789") != "" {
		return ""
	}
	return name
}
