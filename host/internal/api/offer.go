package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

// offer lists the tools worth showing to a model.
func (s *Server) offer(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var req wire.VisibleToolsRequest
	release, err := s.readJSON(w, r, caller, &req)
	if err != nil {
		return err
	}
	defer release()
	out, err := s.c.Gate.VisibleTools(r.Context(), caller, req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}
