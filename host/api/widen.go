package api

import (
	"net/http"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// What widens, and so needs a person: approving; adding an allow rule; removing
// a deny or ask rule; a mode that is not as strict as the one in force; resuming
// a paused session. Denying, tightening, cancelling and reading need none.

// mayRemove wants a person for the removal of a rule that denies or asks.
func (s *Server) mayRemove(r *http.Request, caller gate.Caller, id string) error {
	rules, err := s.c.Gate.Rules(r.Context(), store.RuleFilter{Expired: true})
	if err != nil {
		return err
	}
	for _, rule := range rules {
		if rule.ID == id && rule.Behavior != engine.Allow {
			return s.present(r, caller)
		}
	}
	return nil
}

// maySetMode wants a person for a mode that asks less than the one in force.
func (s *Server) maySetMode(r *http.Request, caller gate.Caller, session string, mode *engine.Mode) error {
	widens, err := s.c.Gate.Widens(r.Context(), session, mode)
	if err != nil || !widens {
		return err
	}
	return s.present(r, caller)
}

// mayClear wants a person where clearing a session would take away a mode, or
// rules, that hold it down.
func (s *Server) mayClear(r *http.Request, caller gate.Caller, session string) error {
	rules, err := s.c.Gate.Rules(r.Context(), store.RuleFilter{Scope: engine.Session, Key: session})
	if err != nil {
		return err
	}
	for _, rule := range rules {
		if rule.Behavior != engine.Allow {
			return s.present(r, caller)
		}
	}
	return s.maySetMode(r, caller, session, nil)
}
