package api

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func (s *Server) listTools(w http.ResponseWriter, _ *http.Request, _ authority.Caller) error {
	return reply(w, http.StatusOK, protocol.ToolList{Tools: append([]wire.Tool{}, s.c.Tools()...)})
}

// getTool finds a tool by its name or an alias, exactly as written.
func (s *Server) getTool(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	name := r.PathValue("name")
	for _, t := range s.c.Tools() {
		if t.Name == name || slices.Contains(t.Aliases, name) {
			return reply(w, http.StatusOK, t)
		}
	}
	return failure(http.StatusNotFound, protocol.CodeNotFound, fmt.Sprintf("unknown tool %q (GET /v1/tools lists them)", name))
}
