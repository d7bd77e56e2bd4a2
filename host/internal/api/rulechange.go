package api

import (
	"fmt"
	"net/http"
	"regexp"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// sourceName is the form of a client's name for the source of its rules; the other words are
// Callgate's own.
var sourceName = regexp.MustCompile(`^(template|import):[A-Za-z0-9._-]{1,64}$`)

func (s *Server) changeRules(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.RuleChange
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	if body.Source != "" && !sourceName.MatchString(body.Source) {
		return badField("source", "want template:NAME or import:NAME")
	}
	rules := make([]engine.Rule, len(body.Rules))
	for i, n := range body.Rules {
		if rules[i], err = ruleOf(n, fmt.Sprintf("rules[%d].", i), s.c.Now()); err != nil {
			return err
		}
		if body.Source != "" {
			rules[i].Source = body.Source
		}
	}
	change := s.change(r, caller, by, s.c.Gate.Person(caller, "", nil, false))
	out, err := s.c.Gate.ChangeRules(r.Context(), change, rules, body.Remove, body.DryRun)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}
