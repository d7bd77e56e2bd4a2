package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

func (s *Server) getConfig(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	if err := s.c.Configuration.LookAtConfig(r.Context()); err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.c.Configuration.ConfigState())
}

func (s *Server) acceptConfig(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.Accept
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	if body.Digest == "" {
		return badField("digest", "missing: want the digest of the pending file, as shown in pending")
	}
	if err := s.c.Configuration.LookAtConfig(r.Context()); err != nil {
		return err
	}
	state, err := s.c.Configuration.AcceptConfig(r.Context(), body.Digest, by)
	if err != nil {
		return err
	}
	s.Announce(protocol.ConfigChange{File: state.File})
	return reply(w, http.StatusOK, state)
}
