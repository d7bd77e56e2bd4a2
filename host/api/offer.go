package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/callgate/callgate/host/gate"
)

// offer tells which tools are worth showing to a model.
func (s *Server) offer(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var req gate.OfferRequest
	release, err := s.readJSON(w, r, caller, &req)
	if err != nil {
		return err
	}
	defer release()
	out, err := s.c.Gate.Offer(r.Context(), caller, req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// Offer tells which tools some call may be allowed or asked about.
func (c *Client) Offer(ctx context.Context, r gate.OfferRequest) (gate.Offering, error) {
	out, err := fetch[gate.Offering](ctx, c, http.MethodPost, at("offer"), nil, r)
	if err != nil {
		return gate.Offering{}, fmt.Errorf("offer: %w", err)
	}
	return out, nil
}
