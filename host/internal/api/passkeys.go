package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

var errNoPasskeys = failure(http.StatusServiceUnavailable, protocol.CodeUnavailable, "this daemon has no web console, and so no passkeys; start it with callgate serve")

// challengeAnswer makes what the person's device has to sign for an answer.
func (s *Server) challengeAnswer(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	answer, p, release, err := s.readAnswer(w, r, caller)
	if err != nil {
		return err
	}
	defer release()
	answer.By = p.Name
	out, err := s.c.Gate.Challenge(r.Context(), r.PathValue("id"), answer)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// listPasskeys lists the passkeys of the caller's person, or everybody's for an admin who names none.
func (s *Server) listPasskeys(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	q, err := query(r, "person")
	if err != nil {
		return err
	}
	whose := q["person"]
	if caller.Kind == authority.Approver || whose != "" {
		if whose, err = inNameOf("person", whose, caller); err != nil {
			return err
		}
		whose = s.c.Gate.Person(caller, whose, nil, false).Name
	}
	if s.c.Passkeys == nil {
		return errNoPasskeys
	}
	all, err := s.c.Passkeys.List(r.Context(), whose)
	if err != nil {
		return err
	}
	out := view.PasskeyList{Passkeys: []view.Passkey{}}
	for _, c := range all {
		out.Passkeys = append(out.Passkeys, shownPasskey(c))
	}
	return reply(w, http.StatusOK, out)
}

func shownPasskey(c passkey.Credential) view.Passkey {
	return view.Passkey{Credential: c, Fingerprint: c.Fingerprint()}
}

func (s *Server) enrolPasskey(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	whose, err := s.deviceOwner(by, caller, s.c.Passkeys != nil, errNoPasskeys)
	if err != nil {
		return err
	}
	options, err := s.c.Passkeys.Enrol(r.Context(), whose)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, options)
}

func (s *Server) addPasskey(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body view.NewPasskey
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	whose, err := s.deviceOwner(by, caller, s.c.Passkeys != nil, errNoPasskeys)
	if err != nil {
		return err
	}
	added, err := s.c.Passkeys.Add(r.Context(), whose, body.Name, caller.Token, body.Credential)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, shownPasskey(added))
}

// revokePasskey ends a passkey.
func (s *Server) revokePasskey(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	gone, err := removeDevice(s, r, caller, s.c.Passkeys != nil, errNoPasskeys, s.c.Passkeys.Revoke)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, shownPasskey(gone))
}
