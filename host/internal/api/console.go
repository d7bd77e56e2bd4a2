package api

import (
	"context"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// openConsole makes a one-time link to the web console, with the rights of the caller's token.
func (s *Server) openConsole(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	if s.c.Console == nil {
		return failure(http.StatusServiceUnavailable, protocol.CodeUnavailable, "this daemon has no web console; start it with callgate serve")
	}
	link, err := s.c.Console(r.Context(), by, func(hold time.Duration) (string, context.Context, func(), error) {
		return s.c.Tokens.Lend(caller.Token, hold)
	})
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, link)
}
