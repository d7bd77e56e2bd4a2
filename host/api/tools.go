package api

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
)

type toolList struct {
	Tools []catalog.Info `json:"tools"`
}

func (s *Server) listTools(w http.ResponseWriter, _ *http.Request, _ gate.Caller) error {
	return reply(w, http.StatusOK, toolList{Tools: append([]catalog.Info{}, s.c.Tools()...)})
}

// getTool finds a tool by its name or an alias, exactly as written.
func (s *Server) getTool(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	name := r.PathValue("name")
	for _, t := range s.c.Tools() {
		if t.Name == name || slices.Contains(t.Aliases, name) {
			return reply(w, http.StatusOK, t)
		}
	}
	return failure(http.StatusNotFound, CodeNotFound, fmt.Sprintf("no tool has the name %q: /v1/tools lists them", name))
}
