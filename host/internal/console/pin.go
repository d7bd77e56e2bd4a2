package console

import (
	"net/http"
	"net/url"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// pinPrompt is the field for the approver PIN on a page whose form is sent again with it.
type pinPrompt struct {
	WantsPIN bool
	// Problem says why the last PIN was refused, in one line of package card; empty before one is typed.
	Problem string
}

// withPIN unlocks with the form's PIN, if it has one, and makes a change. Where the PIN is refused, or
// the API wants one and it can be typed, nothing has changed and the prompt wants the PIN.
func withPIN(r *http.Request, of *session, form url.Values, change func() error) (pinPrompt, error) {
	if problem := unlock(r, of, form); problem != "" {
		return pinPrompt{true, problem}, nil
	}
	err := change()
	if !protocol.NeedsPresence(err) {
		return pinPrompt{}, err
	}
	if !canUnlock(r, of) {
		return pinPrompt{}, refuse(http.StatusForbidden, card.Line(err.Error()))
	}
	return pinPrompt{WantsPIN: true}, nil
}

// unlock unlocks with the form's PIN, if it has one, and says why the PIN was refused.
func unlock(r *http.Request, of *session, form url.Values) (problem string) {
	if typed := form.Get("pin"); typed != "" {
		if _, err := of.client.Unlock(r.Context(), of.by, typed); err != nil {
			return card.Line(err.Error())
		}
	}
	return ""
}

// canUnlock reports whether a PIN is set and can be typed.
func canUnlock(r *http.Request, of *session) bool {
	presence, err := of.client.Presence(r.Context())
	return err == nil && presence.Set && !presence.Locked
}
