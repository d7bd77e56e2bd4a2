package api

import (
	"fmt"
	"net/http"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func (s *Server) view(a ask.Ask) protocol.AskView {
	return protocol.AskView{
		Ask: a, Position: s.c.Asks.Position(a.ID), NeedsConfirmation: a.NeedsConfirmation(), OffersWholeTool: a.OffersWholeTool(),
		Card: card.Lines(card.Render(a, s.c.Now())), Limits: s.c.Asks.Limits(a.ID),
		Quorum: a.Approvers.Quorum(), WhoMayAnswer: a.Approvers.String(), Progress: a.Progress(),
	}
}

func (s *Server) listAsks(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, "agent", "session", "state")
	if err != nil {
		return err
	}
	state := ask.State(q["state"])
	if state != "" && !state.Waiting() {
		return badField("state", fmt.Sprintf("%q: want queued or shown (a finished ask is found by its ID, its outcome in the audit log)", state))
	}
	out := protocol.AskList{Asks: []protocol.AskView{}}
	for _, a := range s.c.Asks.Waiting(ask.Filter{Agent: q["agent"], Session: q["session"], State: state}) {
		out.Asks = append(out.Asks, s.view(a))
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) getAsk(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	a, err := s.c.Asks.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.view(a))
}

func answerOf(b protocol.Answer, caller authority.Caller) (ask.Answer, error) {
	if b.Verdict == nil {
		return ask.Answer{}, badField("verdict", "missing: want approve or deny")
	}
	by, err := inNameOf("by", b.By, caller)
	if err != nil {
		return ask.Answer{}, err
	}
	surface, err := person("surface", b.Surface, "api")
	if err != nil {
		return ask.Answer{}, err
	}
	if b.Together < 0 {
		return ask.Answer{}, badField("together", "want 1 or more, or nothing")
	}
	a := ask.Answer{
		Verdict: *b.Verdict, Sets: b.Sets, ForSession: b.Session, WholeTool: b.WholeTool, ExpiresAt: b.ExpiresAt,
		Together: b.Together, Input: b.Input, Reason: b.Reason, By: by, Surface: surface, ConfirmID: b.ConfirmID,
		Assertion: b.Assertion,
	}
	if len(b.Assertion) > 0 && (a.Verdict != ask.Approve || a.Together > 0) {
		return ask.Answer{}, badField("assertion", "a passkey signs one approval: leave it out")
	}
	if b.Folder != nil {
		if a.Folder, err = wire.ParseFolderAccess(string(*b.Folder)); err != nil {
			return ask.Answer{}, badField("folder", err.Error())
		}
	}
	if b.Scope != nil {
		if a.Scope, err = engine.ParseScope(string(*b.Scope)); err != nil {
			return ask.Answer{}, badField("scope", err.Error())
		}
	}
	return a, nil
}

// readAnswer reads an answer and its person, by their name in the configuration. Without an error
// the caller calls release when the answer is given.
func (s *Server) readAnswer(w http.ResponseWriter, r *http.Request, caller authority.Caller) (a ask.Answer, p approvers.Person, release func(), err error) {
	var body protocol.Answer
	if release, err = s.readJSON(w, r, caller, &body); err != nil {
		return a, p, nil, err
	}
	if a, err = answerOf(body, caller); err != nil {
		release()
		return a, p, nil, err
	}
	return a, s.c.Gate.Person(caller, a.By, body.Roles, body.Administrator), release, nil
}

func (s *Server) answerAsk(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	answer, p, release, err := s.readAnswer(w, r, caller)
	if err != nil {
		return err
	}
	defer release()
	answer.Roles, answer.Administrator = p.Roles, p.Administrator
	if answer.Verdict != ask.Deny && len(answer.Assertion) == 0 { // a signature that does not count refuses the answer
		if err := s.present(r, caller); err != nil {
			return err
		}
	}
	out, err := s.c.Gate.Answer(r.Context(), r.PathValue("id"), answer)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// seenAsk records that a person was shown a card. Only those cards are answered together with
// another one.
func (s *Server) seenAsk(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	var body protocol.Seen
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	approver, err := inNameOf("approver", body.Approver, caller)
	if err != nil {
		return err
	}
	a, err := s.c.Asks.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	s.c.Asks.MarkSeen(a.ID, s.c.Gate.Person(caller, approver, nil, false).Name)
	return reply(w, http.StatusOK, s.view(a))
}
