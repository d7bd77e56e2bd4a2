package console

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

// keysPage are the person's passkeys.
type keysPage struct {
	Keys []view.Passkey
}

// newKey is a step of an enrolment: first the PIN where it is wanted, then the device.
type newKey struct {
	Name string
	pinPrompt
	// Create are the browser's options, as JSON; empty before the PIN.
	Create string
}

func (s *Server) passkeys(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	keys, err := of.client.Passkeys(r.Context(), of.by)
	if err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "passkeys", framed(r, of, "Passkeys", "/passkeys", keysPage{Keys: keys}))
}

// newPasskey begins an enrolment, which takes the PIN.
func (s *Server) newPasskey(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	now := newKey{Name: form.Get("name")}
	render := func() error {
		f := framed(r, of, "New passkey", "/passkeys", now)
		f.Signs = true
		return s.render(w, http.StatusOK, "newkey", f)
	}
	now.pinPrompt, err = withPIN(r, of, form, func() error {
		options, err := of.client.EnrolPasskey(r.Context(), of.by)
		if err != nil {
			return err
		}
		text, err := json.Marshal(options)
		now.Create = string(text)
		return err
	})
	if err != nil {
		return err
	}
	return render()
}

// addPasskey finishes an enrolment.
func (s *Server) addPasskey(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	made := form.Get("credential")
	if !json.Valid([]byte(made)) {
		return refuse(http.StatusBadRequest, "the device made no passkey; begin again")
	}
	key, err := of.client.AddPasskey(r.Context(), of.by, form.Get("name"), json.RawMessage(made))
	if err != nil {
		return err
	}
	of.say("Added the passkey " + card.Line(key.Name) + ". Its key has the fingerprint " + key.Fingerprint + ".")
	http.Redirect(w, r, "/passkeys", http.StatusSeeOther)
	return nil
}

func (s *Server) revokePasskey(w http.ResponseWriter, r *http.Request, of *session) error {
	if _, err := formOf(w, r, of); err != nil {
		return err
	}
	key, err := of.client.RevokePasskey(r.Context(), of.by, r.PathValue("id"))
	var theirs *protocol.Error
	if errors.As(err, &theirs) && theirs.Code == protocol.CodeNotFound {
		return refuse(http.StatusNotFound, "this passkey was revoked already, or never existed")
	}
	if err != nil {
		return err
	}
	of.say("Revoked the passkey " + card.Line(key.Name) + ": its signatures no longer count.")
	http.Redirect(w, r, "/passkeys", http.StatusSeeOther)
	return nil
}
