package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func (s *Server) finishCall(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var f wire.Finished
	release, err := s.readJSON(w, r, caller, &f)
	if err != nil {
		return err
	}
	defer release()
	m, err := s.c.Gate.Finish(r.Context(), caller, f)
	if !m.Match && m.Reason != "" {
		s.feed.publish(protocol.EventMismatch, mismatchOf(f, caller, m))
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, m)
}

func mismatchOf(f wire.Finished, caller authority.Caller, m wire.FinishResult) protocol.Mismatch {
	out := protocol.Mismatch{Tool: f.Tool, Agent: f.Context.Agent, Session: f.Context.Session, CallID: f.CallID, Reason: m.Reason}
	if caller.Kind == authority.Checker {
		out.Agent = caller.Agent
	}
	return out
}
