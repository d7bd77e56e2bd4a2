package api

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/gate"
)

func (s *Server) listProfiles(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	out, err := s.c.Gate.Profiles(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// profileBody names the profile that an agent is given.
type profileBody struct {
	Profile string `json:"profile"`
}

func (s *Server) giveProfile(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body profileBody
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

func (s *Server) resetProfile(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
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
func (s *Server) resetProfiles(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	if err := s.c.Gate.ResetProfiles(r.Context(), by); err != nil {
		return err
	}
	return reply(w, http.StatusOK, struct{}{})
}

// Profiles lists the profiles and which agent has which.
func (c *Client) Profiles(ctx context.Context) (gate.Profiles, error) {
	return fetch[gate.Profiles](ctx, c, http.MethodGet, at("profiles"), nil, nil)
}

// GiveProfile gives an agent a profile in place of the configuration's, in the name
// of by; empty means the token's.
func (c *Client) GiveProfile(ctx context.Context, by, agent, profile string) (gate.GivenProfile, error) {
	return fetch[gate.GivenProfile](ctx, c, http.MethodPost, at("agents", agent, "profile"), values("by", by), profileBody{Profile: profile})
}

// ResetProfile gives an agent the configuration's profile again.
func (c *Client) ResetProfile(ctx context.Context, by, agent string) error {
	_, err := fetch[resetProfile](ctx, c, http.MethodPost, at("agents", agent, "profile", "reset"), values("by", by), nil)
	return err
}

// ResetProfiles gives all agents the configuration's profiles again.
func (c *Client) ResetProfiles(ctx context.Context, by string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("profiles", "reset"), values("by", by), nil)
	return err
}
