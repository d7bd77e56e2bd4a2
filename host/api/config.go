package api

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
)

func (s *Server) getConfig(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	if err := s.c.Configuration.LookAtConfig(r.Context()); err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.c.Configuration.ConfigState())
}

// acceptBody names what the person was shown.
type acceptBody struct {
	Digest string `json:"digest"`
}

func (s *Server) acceptConfig(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body acceptBody
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	if body.Digest == "" {
		return badField("digest", "missing: want the digest of the file that was shown, as pending tells it")
	}
	if err := s.c.Configuration.LookAtConfig(r.Context()); err != nil {
		return err
	}
	state, err := s.c.Configuration.AcceptConfig(r.Context(), body.Digest, by)
	if err != nil {
		return err
	}
	s.Announce(ConfigChange{File: state.File})
	return reply(w, http.StatusOK, state)
}

// ConfigState tells how the daemon's configuration file stands.
func (c *Client) ConfigState(ctx context.Context) (config.State, error) {
	return fetch[config.State](ctx, c, http.MethodGet, at("config"), nil, nil)
}

// AcceptConfig puts the file with this digest in force, in the name of by; empty
// means the token's.
func (c *Client) AcceptConfig(ctx context.Context, by, digest string) (config.State, error) {
	return fetch[config.State](ctx, c, http.MethodPost, at("config", "accept"), values("by", by), acceptBody{Digest: digest})
}
