package slash

import (
	"context"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// listNames are the lists, in the order of evaluation.
var listNames = []string{"/deny", "/ask", "/allow"}

// beside are the rules in force in a place from other sources than its own lists: those of the
// configuration, and stored ones of wider places. Each is a line with its source; rules of
// lists not named are left out. Those added by a project's file to its calls are not among
// them.
func (h *Handler) beside(ctx context.Context, out wire.CommandResult, lists ...string) ([]string, error) {
	places, err := h.above(ctx, out)
	if err != nil {
		return nil, err
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, list := range lists {
		for _, r := range rules {
			at := admin.Where{Scope: r.Scope, Key: r.ScopeKey}
			own := r.Source != config.Source && at == places[0]
			if !own && "/"+r.Behavior.String() == list && slices.Contains(places, at) {
				lines = append(lines, "  "+r.Behavior.String()+" "+r.String()+", "+standsIn(r))
			}
		}
	}
	if len(lines) == 0 {
		return nil, nil
	}
	return append([]string{"from elsewhere, not changed here:"}, lines...), nil
}

// above is the place of an answer, and the wider ones with rules in force in it.
func (h *Handler) above(ctx context.Context, out wire.CommandResult) ([]admin.Where, error) {
	places := []admin.Where{{Scope: out.Scope, Key: out.ScopeKey}, {Scope: engine.Global}}
	if out.Scope != engine.Session {
		return places, nil
	}
	known, _, err := h.c.Gate.Session(ctx, out.ScopeKey)
	if err != nil {
		return nil, err
	}
	places = append(places, admin.Where{Scope: engine.Agent, Key: known.Agent}, admin.Where{Scope: engine.Project, Key: known.ProjectRoot})
	// In a work tree, the rules of its repository hold as well.
	project, err := h.c.Gate.ProjectOf(ctx, known.ProjectRoot)
	if err == nil && project != known.ProjectRoot {
		places = append(places, admin.Where{Scope: engine.Project, Key: project})
	}
	return places, err
}

// standsIn says where a rule is written and for whom it holds.
func standsIn(r engine.Rule) string {
	whom := "for every agent"
	if r.Scope != engine.Global {
		whom = "of the " + string(r.Scope) + " " + r.ScopeKey
	}
	if r.Source == config.Source {
		return "in the configuration, " + whom
	}
	return "stored, " + whom
}
