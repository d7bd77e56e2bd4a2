package modulediff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Direction tells whether a change lets more happen.
type Direction string

// The directions, the most dangerous first. Other is a change of words, actions or
// suggestions: nothing is allowed by it alone, but a profile may read the action.
const (
	Loosened  Direction = "loosened"
	Other     Direction = "other"
	Tightened Direction = "tightened"
)

// Change is one difference between the answers of the two versions to a call.
type Change struct {
	Direction Direction `json:"direction"`
	// Kind names the change, such as "check" or "allow rule staging/*".
	Kind string `json:"kind"`
	Was  string `json:"was"`
	Is   string `json:"is"`
	Call Call   `json:"call"`
}

// Count is how many calls have changes of one kind.
type Count struct {
	Direction Direction `json:"direction"`
	Kind      string    `json:"kind"`
	Calls     int       `json:"calls"`
}

// Report is the result of a comparison.
type Report struct {
	Old string `json:"old"`
	New string `json:"new"`
	// Rows of the audit were read; Calls different ones put to both versions, of which Masked
	// hold placeholders; Unreadable rows were left out.
	Rows       int `json:"rows"`
	Calls      int `json:"calls"`
	Masked     int `json:"masked"`
	Unreadable int `json:"unreadable"`
	// Rules is how many stored rules were tried.
	Rules  int     `json:"rules"`
	Counts []Count `json:"counts"`
	// Changes are ordered by direction, then as the calls are; RuleChanges are those of rules
	// for changed names.
	Changes     []Change     `json:"changes"`
	RuleChanges []RuleChange `json:"rule_changes"`
}

// Loosened reports whether anything would be let through sooner.
func (r *Report) Loosened() bool {
	return slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Direction == Loosened }) ||
		slices.ContainsFunc(r.RuleChanges, func(c RuleChange) bool { return c.Direction == Loosened })
}

// Compare asks both versions about all calls and about the stored rules of their
// tools. An error is ctx's.
func Compare(ctx context.Context, was, is *workbench.Module, calls Calls, rules []engine.Rule) (*Report, error) {
	r := &Report{
		Old: label(was), New: label(is), Rows: calls.Rows, Calls: len(calls.List), Unreadable: calls.Unreadable,
		Counts: []Count{}, Changes: []Change{}, RuleChanges: ruleChanges(was, is, rules),
	}
	tried := map[string]bool{}
	for _, call := range calls.List {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if call.Masked {
			r.Masked++
		}
		sets := setsFor([]*workbench.Module{was, is}, call.Tool, rules)
		for _, s := range sets {
			for _, rule := range s.Contents {
				tried[s.Behavior+" "+s.Root+" "+rule] = true
			}
		}
		c := workbench.Call{Tool: call.Tool, Input: call.Input, Rules: sets}
		for _, change := range changes(answersOf(was.Ask(ctx, c)), answersOf(is.Ask(ctx, c)), sets) {
			change.Call = call
			r.Changes = append(r.Changes, change)
		}
	}
	r.Rules = len(tried)
	r.sort()
	return r, nil
}

func label(m *workbench.Module) string {
	return fmt.Sprintf("%s %s (%.12s)", m.Description.Name, m.Description.Version, m.Digest)
}

var directions = []Direction{Loosened, Other, Tightened}

func (r *Report) sort() {
	rank := func(d Direction) int { return slices.Index(directions, d) }
	slices.SortStableFunc(r.Changes, func(a, b Change) int { return rank(a.Direction) - rank(b.Direction) })
	for _, c := range r.Changes {
		i := slices.IndexFunc(r.Counts, func(n Count) bool { return n.Direction == c.Direction && n.Kind == c.Kind })
		if i < 0 {
			r.Counts, i = append(r.Counts, Count{Direction: c.Direction, Kind: c.Kind}), len(r.Counts)
		}
		r.Counts[i].Calls++
	}
}

// setsFor are the stored rules for a tool under any version's names, by behavior and root, each
// content once.
func setsFor(versions []*workbench.Module, tool string, rules []engine.Rule) []workbench.RuleSet {
	names := []string{tool}
	for _, m := range versions {
		if t, called, err := m.Tool(tool); err == nil {
			names = append(append(names, called), t.Names()...)
		}
	}
	var sets []workbench.RuleSet
	for _, r := range rules {
		if r.WholeTool() || !engine.MatchName(r.Tool, names...) {
			continue
		}
		root := ""
		if r.Scope == engine.Project {
			root = r.ScopeKey
		}
		i := slices.IndexFunc(sets, func(s workbench.RuleSet) bool { return s.Behavior == r.Behavior.String() && s.Root == root })
		if i < 0 {
			sets, i = append(sets, workbench.RuleSet{Behavior: r.Behavior.String(), Root: root}), len(sets)
		}
		if !slices.Contains(sets[i].Contents, *r.Content) {
			sets[i].Contents = append(sets[i].Contents, *r.Content)
		}
	}
	return sets
}

// changes compares the answers to one call.
func changes(was, is answers, sets []workbench.RuleSet) (all []Change) {
	add := func(kind string, d Direction, was, is string) {
		all = append(all, Change{Direction: d, Kind: kind, Was: was, Is: is})
	}
	switch a, b := was.strictness, is.strictness; {
	case a != b:
		add("check", direction(b < a), was.check, is.check)
	case was.words != is.words:
		add("check's words", Other, was.words, is.words)
	}
	if was.readOnly != is.readOnly {
		add("read_only", direction(is.readOnly), fmt.Sprint(was.readOnly), fmt.Sprint(is.readOnly))
	}
	for i, set := range sets {
		for j, content := range set.Contents {
			a, b := was.matched(i, j, set.Behavior), is.matched(i, j, set.Behavior)
			if a != b {
				add(set.Behavior+" rule "+content, direction(b == (set.Behavior == "allow")), matches(a), matches(b))
			}
		}
	}
	all = append(all, touchChanges(was, is)...)
	all = append(all, effectChanges(was.effects, is.effects)...)
	if a, b := strings.Join(was.suggests, ", "), strings.Join(is.suggests, ", "); a != b {
		add("suggestions", Other, a, b)
	}
	return all
}

func direction(looser bool) Direction {
	if looser {
		return Loosened
	}
	return Tightened
}

func matches(yes bool) string {
	if yes {
		return "matches"
	}
	return "does not match"
}

// touchChanges compares the targets named by the versions. A target no longer named is no
// longer held against other tools' rules, or against the protection of the gate itself.
func touchChanges(was, is answers) (all []Change) {
	gone, come := missing(was.touches, is.touches), missing(is.touches, was.touches)
	if len(gone) > 0 {
		all = append(all, Change{Direction: Loosened, Kind: "targets told no more", Was: strings.Join(gone, ", ")})
	}
	if len(come) > 0 {
		all = append(all, Change{Direction: Tightened, Kind: "targets told anew", Is: strings.Join(come, ", ")})
	}
	if was.action != is.action {
		all = append(all, Change{Direction: Other, Kind: "action", Was: was.action, Is: is.action})
	}
	return all
}

// effectChanges compares the effects named by the versions. A rule about an effect holds for a
// named one, and for every call of a version that names none: so an effect named no more lets
// more happen, one that is certain no more is asked about and not denied, and a version that
// begins to name effects rules out the others.
func effectChanges(was, is map[string]bool) (all []Change) {
	switch {
	case was == nil && is == nil:
		return nil
	case was == nil:
		return []Change{{Direction: Loosened, Kind: "effects", Was: "not named, so each is possible", Is: effectNames(is, nil)}}
	case is == nil:
		return []Change{{Direction: Tightened, Kind: "effects", Was: effectNames(was, nil), Is: "not named, so each is possible"}}
	}
	for _, c := range []Change{
		{Direction: Loosened, Kind: "effects named no more", Was: effectNames(was, is)},
		{Direction: Tightened, Kind: "effects named anew", Is: effectNames(is, was)},
		{Direction: Loosened, Kind: "effects certain no more", Was: certainIn(was, is)},
		{Direction: Tightened, Kind: "effects now certain", Is: certainIn(is, was)},
	} {
		if c.Was+c.Is != "" {
			all = append(all, c)
		}
	}
	return all
}

// effectNames are the effects that another version does not name.
func effectNames(of, other map[string]bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if _, both := other[name]; !both {
			names = append(names, name)
		}
	}
	if other == nil && len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// certainIn are the effects that another version names as possible only.
func certainIn(of, other map[string]bool) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if certain, both := other[name]; of[name] && both && !certain {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// missing are the elements of a missing in b.
func missing(a, b []string) (out []string) {
	for _, one := range a {
		if !slices.Contains(b, one) {
			out = append(out, one)
		}
	}
	return out
}
