package api

import (
	"net/http"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// live answers as long as the process serves.
func (s *Server) live(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	return reply(w, http.StatusOK, protocol.Health{Status: "ok"})
}

// ready answers while calls can be decided.
func (s *Server) ready(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if s.c.Ready != nil {
		if problems := s.c.Ready(r.Context()); len(problems) > 0 {
			return failure(http.StatusServiceUnavailable, protocol.CodeUnavailable, "not ready: "+strings.Join(problems, "; "))
		}
	}
	return s.live(w, r, caller)
}

// metrics are the daemon's numbers. RATIONALE.md, "Who may read the metrics?".
func (s *Server) metrics(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	if s.c.Metrics == nil {
		return failure(http.StatusNotFound, protocol.CodeNotFound, "this daemon has no metrics")
	}
	patient(w)
	s.c.Metrics.ServeHTTP(w, r)
	return nil
}
