package modulediff

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/store/history"
)

// ruleChanges compares the names covered by the rules.
func ruleChanges(was, is *trial.Module, rules []engine.Rule) []history.NameChange {
	all := []history.NameChange{}
	for _, r := range rules {
		before, after := held(was, r), held(is, r)
		lost, gained := missing(before, after), missing(after, before)
		own := func(name string) bool { return engine.MatchName(r.Tool, name) || name == r.Tool }
		add := func(d history.Direction, names []string, what string) {
			if len(names) > 0 {
				all = append(all, history.NameChange{Direction: d, ID: r.ID, Rule: r.Behavior.String() + " " + r.String(), Names: names, What: what})
			}
		}
		allows := r.Behavior == engine.Allow
		add(direction(allows), gained, "it applies to them now")
		add(direction(!allows), slices.DeleteFunc(slices.Clone(lost), own), "it no longer applies to them")
		lost = slices.DeleteFunc(lost, func(name string) bool { return !own(name) })
		switch {
		case !r.WholeTool():
			add(history.Other, lost, "the new version does not answer for them: the tool for unknown names reads the rule")
		case allows:
			add(history.Loosened, lost, "the new version does not answer for them: the rule allows them without any module's checks")
		default:
			add(history.Other, lost, "the new version does not answer for them: the rule holds as before")
		}
	}
	return all
}

// held are the names of calls covered by a rule with one version: all of a tool with a name in
// the rule.
func held(m *trial.Module, r engine.Rule) (names []string) {
	for _, t := range m.Description.Tools {
		for _, name := range t.Names() {
			switch {
			case strings.ContainsAny(name, "*?"): // each call below it has its own name alone
				if engine.MatchName(name, r.Tool) || engine.MatchName(r.Tool, name) {
					names = append(names, r.Tool)
				}
			case engine.MatchName(r.Tool, t.Names()...):
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
