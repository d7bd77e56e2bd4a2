package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/callgate/callgate/host/gate"
)

// Mismatch tells that a call ran that is not the one that was judged, and that
// its session is stopped for it.
type Mismatch struct {
	Tool    string `json:"tool"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	CallID  string `json:"call_id"`
	Reason  string `json:"reason"`
}

func (s *Server) finishCall(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	var f gate.Finished
	release, err := s.readJSON(w, r, caller, &f)
	if err != nil {
		return err
	}
	defer release()
	m, err := s.c.Gate.Finish(r.Context(), caller, f)
	if !m.Match && m.Reason != "" {
		s.feed.publish(EventMismatch, mismatchOf(f, caller, m))
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, m)
}

func mismatchOf(f gate.Finished, caller gate.Caller, m gate.Matched) Mismatch {
	out := Mismatch{Tool: f.Tool, Agent: f.Context.Agent, Session: f.Context.Session, CallID: f.CallID, Reason: m.Reason}
	if caller.Standing == gate.Checker {
		out.Agent = caller.Agent
	}
	return out
}

// Finish tells the daemon that a call has ended and with what it ran, and returns
// whether that is what was judged. With every error comes the zero Matched.
func (c *Client) Finish(ctx context.Context, f gate.Finished) (gate.Matched, error) {
	m, err := fetch[gate.Matched](ctx, c, http.MethodPost, at("calls", "finished"), nil, f)
	if err != nil {
		return gate.Matched{}, fmt.Errorf("finish: %w", err)
	}
	return m, nil
}
