package modulediff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// RuleChange is a rule in force for other calls with the new version, because of its new names:
// no past call has to show it.
type RuleChange struct {
	Direction Direction `json:"direction"`
	ID        string    `json:"id,omitempty"`
	Rule      string    `json:"rule"`
	// Names are those of the calls, What is the change.
	Names []string `json:"names"`
	What  string   `json:"what"`
}

// ruleChanges compares the names covered by the rules.
func ruleChanges(was, is *workbench.Module, rules []engine.Rule) []RuleChange {
	all := []RuleChange{}
	for _, r := range rules {
		before, after := held(was, r), held(is, r)
		lost, gained := missing(before, after), missing(after, before)
		own := func(name string) bool { return engine.MatchName(r.Tool, name) || name == r.Tool }
		add := func(d Direction, names []string, what string) {
			if len(names) > 0 {
				all = append(all, RuleChange{d, r.ID, r.Behavior.String() + " " + r.String(), names, what})
			}
		}
		allows := r.Behavior == engine.Allow
		add(direction(allows), gained, "it holds for them now")
		add(direction(!allows), slices.DeleteFunc(slices.Clone(lost), own), "it no longer holds for them")
		lost = slices.DeleteFunc(lost, func(name string) bool { return !own(name) })
		switch {
		case !r.WholeTool():
			add(Other, lost, "the new version does not answer for them: the tool for unknown names reads the rule")
		case allows:
			add(Loosened, lost, "the new version does not answer for them: the rule allows them without any module's checks")
		default:
			add(Other, lost, "the new version does not answer for them: the rule holds as before")
		}
	}
	slices.SortStableFunc(all, func(a, b RuleChange) int {
		return slices.Index(directions, a.Direction) - slices.Index(directions, b.Direction)
	})
	return all
}

// held are the names of calls covered by a rule with one version: all of a tool with a name in
// the rule.
func held(m *workbench.Module, r engine.Rule) (names []string) {
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

// String implements fmt.Stringer.
func (c RuleChange) String() string {
	return fmt.Sprintf("%s: %s: %s", c.Rule, strings.Join(c.Names, ", "), c.What)
}
