package api

import (
	"fmt"
	"net/http"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
)

// AskView is an ask with what only the broker knows of it.
type AskView struct {
	ask.Ask
	// Position is its place in the queue; 0 when it is not queued.
	Position int `json:"position,omitempty"`
	// NeedsConfirmation tells that every approval must name the ask's id in
	// confirm_id; one that stores a rule beyond the session always must.
	NeedsConfirmation bool `json:"needs_confirmation"`
	// OffersWholeTool tells that a session grant on the whole tool is offered.
	OffersWholeTool bool `json:"offers_whole_tool"`
	// Quorum is how many different people have to approve, at least 1.
	Quorum int `json:"quorum"`
	// WhoMayAnswer says it in words; empty when everybody may who reaches it.
	WhoMayAnswer string `json:"who_may_answer,omitempty"`
	// Progress says who has approved where several have to: "1 of 2 approved: ann".
	Progress string `json:"progress,omitempty"`
}

func (s *Server) view(a ask.Ask) AskView {
	return AskView{
		Ask: a, Position: s.c.Asks.Position(a.ID), NeedsConfirmation: a.NeedsConfirmation(), OffersWholeTool: a.OffersWholeTool(),
		Quorum: a.Approvers.Quorum(), WhoMayAnswer: a.Approvers.String(), Progress: a.Progress(),
	}
}

type askList struct {
	Asks []AskView `json:"asks"`
}

func (s *Server) listAsks(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	q, err := query(r, "agent", "session", "state")
	if err != nil {
		return err
	}
	state := ask.State(q["state"])
	if state != "" && !state.Waiting() {
		return badField("state", fmt.Sprintf("%q: want queued or shown: an ask that has ended is found by its id, its outcome in the audit", state))
	}
	out := askList{Asks: []AskView{}}
	for _, a := range s.c.Asks.Waiting(ask.Filter{Agent: q["agent"], Session: q["session"], State: state}) {
		out.Asks = append(out.Asks, s.view(a))
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) getAsk(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	a, err := s.c.Asks.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.view(a))
}

// answerBody is ask.Answer as it may be sent: when it was given is ours to say.
type answerBody struct {
	Verdict   *ask.Verdict  `json:"verdict"`
	Sets      []int         `json:"sets,omitempty"`
	Session   bool          `json:"for_session,omitempty"`
	WholeTool bool          `json:"whole_tool,omitempty"`
	Scope     *engine.Scope `json:"scope,omitempty"`
	ExpiresAt time.Time     `json:"expires_at,omitzero"`
	Reason    string        `json:"reason,omitempty"`
	By        string        `json:"by,omitempty"`
	// Roles and Administrator are of by; left out, the configuration's people say it.
	// They count only from an admin: an approver token speaks for itself.
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	Surface       string   `json:"surface,omitempty"`
	ConfirmID     string   `json:"confirm_id,omitempty"`
}

func (b answerBody) answer(caller gate.Caller) (ask.Answer, error) {
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
	a := ask.Answer{
		Verdict: *b.Verdict, Sets: b.Sets, ForSession: b.Session, WholeTool: b.WholeTool, ExpiresAt: b.ExpiresAt,
		Reason: b.Reason, By: by, Surface: surface, ConfirmID: b.ConfirmID,
	}
	if b.Scope != nil {
		if a.Scope, err = engine.ParseScope(string(*b.Scope)); err != nil {
			return ask.Answer{}, badField("scope", err.Error())
		}
	}
	return a, nil
}

func (s *Server) answerAsk(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body answerBody
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	answer, err := body.answer(caller)
	if err != nil {
		return err
	}
	p := s.c.Gate.Person(caller, answer.By, body.Roles, body.Administrator)
	answer.Roles, answer.Administrator = p.Roles, p.Administrator
	if answer.Verdict != ask.Deny {
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

type seenBody struct {
	Approver string `json:"approver"`
}

// seenAsk notes that a person was shown a card. Only those cards are answered
// together with another one.
func (s *Server) seenAsk(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	var body seenBody
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
