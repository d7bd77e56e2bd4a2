package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
)

// maxSessions bounds one list of sessions.
const maxSessions = 1000

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, "agent", "token", "since", "paused", "limit")
	if err != nil {
		return err
	}
	f := store.SessionFilter{Agent: q["agent"], Token: q["token"]}
	if f.Since, err = q.time("since"); err != nil {
		return err
	}
	if f.Paused, err = q.flag("paused"); err != nil {
		return err
	}
	limit, err := q.number("limit", maxSessions, maxSessions)
	if err != nil {
		return err
	}
	f.Limit = int(max(limit, 1))
	sessions, err := s.c.Gate.Sessions(r.Context(), f)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view.SessionList{Sessions: append([]store.Session{}, sessions...)})
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	known, calls, err := s.c.Gate.Session(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	out := view.Session{Session: known, Calls: make([]protocol.CallView, len(calls))}
	for i, c := range calls {
		out.Calls[i] = protocol.CallView{
			CallID: c.Key.CallID, Tool: c.Tool, CWD: c.CWD, Outcome: c.Outcome, AskID: c.AskID,
			JudgedAt: c.JudgedAt, FinishedAt: c.FinishedAt, AuditSeq: c.AuditSeq,
		}
	}
	return reply(w, http.StatusOK, out)
}

type sessionMode struct {
	Session string       `json:"session"`
	Mode    *engine.Mode `json:"mode"`
}

func (s *Server) setMode(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	// A map distinguishes a mode of null, a value with a meaning, from none.
	var body map[string]*string
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	fork, err := forkKind(body)
	if err != nil {
		return err
	}
	mode, err := modeOf(body)
	if err != nil {
		return err
	}
	id, set := r.PathValue("id"), s.c.Gate.ChangeMode
	if fork {
		set = s.c.Gate.ChangeForkMode
	}
	if err := set(r.Context(), s.confirmed(r, caller, by), id, mode); err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionMode{Session: id, Mode: mode})
}

func modeOf(body map[string]*string) (*engine.Mode, error) {
	word, given := body["mode"]
	for name := range body {
		if name != "mode" {
			return nil, &protocol.Error{Status: http.StatusBadRequest, Code: protocol.CodeUnknownField, Field: name, Message: "unknown field; want mode or kind"}
		}
	}
	if !given {
		return nil, badField("mode", "missing: want the name of a mode, or null for the agent's own mode")
	}
	if word == nil {
		return nil, nil
	}
	mode, err := engine.ParseMode(*word)
	if err != nil {
		e := badField("mode", err.Error())
		if errors.Is(err, engine.ErrAutoReserved) {
			e.Code = protocol.CodeAutoReserved
		}
		return nil, e
	}
	return &mode, nil
}

func (s *Server) clearSession(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	cleared, err := s.c.Gate.Clear(r.Context(), s.confirmed(r, caller, by), r.PathValue("id"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, cleared)
}

func (s *Server) interruptSession(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	return s.cancelAsks(w, r, caller, s.c.Gate.InterruptSession)
}

func (s *Server) exitFork(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	return s.cancelAsks(w, r, caller, s.c.Gate.ExitFork)
}

// cancelAsks has asks of the session cancelled and returns their number.
func (s *Server) cancelAsks(w http.ResponseWriter, r *http.Request, caller authority.Caller, cancel func(ctx context.Context, session, by string) (int, error)) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	n, err := cancel(r.Context(), r.PathValue("id"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, protocol.Interrupted{Asks: n})
}

type resumed struct {
	Resumed string `json:"resumed"`
}

func (s *Server) resumeSession(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := s.c.Gate.ResumeSession(r.Context(), id, by); err != nil {
		return err
	}
	return reply(w, http.StatusOK, resumed{Resumed: id})
}

// bodiless is for operations without a body: it still requires the content type impossible for
// forms.
func (s *Server) bodiless(r *http.Request, caller authority.Caller) (by string, err error) {
	if err := jsonContent(r); err != nil {
		return "", err
	}
	return byParam(r, caller)
}
