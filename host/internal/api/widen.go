package api

import (
	"net/http"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
)

// Widening operations, and so in need of a person: approving; adding an allow rule; removing a deny
// or ask rule; a mode less strict than the present one; resuming a paused session. Denying,
// tightening, cancelling and reading need none.

// mayRemove requires a person for removing a deny or ask rule.
func (s *Server) mayRemove(r *http.Request, caller authority.Caller, id string) error {
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

// confirmed is a change in the name of by; where it widens, a present person agrees.
func (s *Server) confirmed(r *http.Request, caller authority.Caller, by string) admin.Change {
	return admin.Change{By: by, Confirm: func() error { return s.present(r, caller) }}
}
