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

// confirmed is a change in the name of by to which a person who is present agrees
// where it widens.
func (s *Server) confirmed(r *http.Request, caller gate.Caller, by string) gate.Change {
	return gate.Change{By: by, Confirm: func() error { return s.present(r, caller) }}
}
