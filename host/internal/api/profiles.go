package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

func (s *Server) listProfiles(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	out, err := s.c.Gate.Profiles(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) giveProfile(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.GiveProfile
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	if body.Profile == "" {
		return badField("profile", "missing: want the name of a profile")
	}
	agent := r.PathValue("name")
	if _, err := person("agent", agent, ""); err != nil {
		return err
	}
	given, err := s.c.Gate.ChangeProfile(r.Context(), s.confirmed(r, caller, by), agent, body.Profile)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, given)
}

type resetProfile struct {
	Agent string `json:"agent"`
}

func (s *Server) resetProfile(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	agent := r.PathValue("name")
	if _, err := person("agent", agent, ""); err != nil {
		return err
	}
	if _, err := s.c.Gate.ChangeProfile(r.Context(), s.confirmed(r, caller, by), agent, ""); err != nil {
		return err
	}
	return reply(w, http.StatusOK, resetProfile{Agent: agent})
}

// resetProfiles takes back every given profile. It is the way out when they cannot be
// read, so it looks at none of them and always wants a person.
func (s *Server) resetProfiles(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	if err := s.c.Gate.ResetProfiles(r.Context(), by); err != nil {
		return err
	}
	return reply(w, http.StatusOK, struct{}{})
}
