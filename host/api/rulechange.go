package api

import (
	"context"
	"fmt"
	"net/http"
	"regexp"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
)

// RuleChange is several rules to store and stored ones to delete, all or none.
type RuleChange struct {
	Rules  []NewRule `json:"rules"`
	Remove []string  `json:"remove,omitempty"`
	// Source says where the rules come from, as template:NAME or import:NAME.
	Source string `json:"source,omitempty"`
	// DryRun only says what would happen.
	DryRun bool `json:"dry_run,omitempty"`
}

// sourceName is what a client may call the source of its rules; the other words
// are Callgate's own.
var sourceName = regexp.MustCompile(`^(template|import):[A-Za-z0-9._-]{1,64}$`)

func (s *Server) changeRules(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body RuleChange
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
		if rules[i], err = n.rule(fmt.Sprintf("rules[%d].", i), s.c.Now()); err != nil {
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

// ChangeRules stores and deletes several rules in the name of by; empty means the
// token's.
func (c *Client) ChangeRules(ctx context.Context, by string, change RuleChange) (gate.Changed, error) {
	return fetch[gate.Changed](ctx, c, http.MethodPost, at("rules", "changes"), values("by", by), change)
}
