package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

func (s *Server) listHooks(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	out := wire.HookProbes{Probes: []wire.HookProbe{}}
	if s.c.Hooks != nil {
		out = s.c.Hooks()
	}
	return reply(w, http.StatusOK, out)
}
