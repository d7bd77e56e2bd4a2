package modulediff

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/store/history"
)

// Compare asks both versions about the calls and about the stored rules of their tools, until the
// time is over; 0 is no bound. An error is ctx's.
func Compare(ctx context.Context, was, is *trial.Module, calls Calls, rules []engine.Rule, within time.Duration) (*history.ModuleDiff, error) {
	r := &history.ModuleDiff{
		Old: label(was), New: label(is), Rows: calls.Rows, Calls: len(calls.List), Unreadable: calls.Unreadable,
		Counts: []history.ChangeCount{}, Changes: []history.AnswerChange{}, RuleChanges: ruleChanges(was, is, rules),
	}
	tried, began := map[string]bool{}, time.Now()
	for i, call := range calls.List {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if within > 0 && time.Since(began) > within {
			r.Untried = len(calls.List) - i
			break
		}
		if call.Masked {
			r.Masked++
		}
		sets := setsFor([]*trial.Module{was, is}, call.Tool, rules)
		for _, s := range sets {
			for _, rule := range s.Contents {
				tried[s.Behavior+" "+s.Root+" "+rule] = true
			}
		}
		c := trial.Call{Tool: call.Tool, Input: call.Input, Rules: sets}
		for _, change := range changes(answersOf(was.Ask(ctx, c)), answersOf(is.Ask(ctx, c)), sets) {
			change.Call = call
			r.Changes = append(r.Changes, change)
		}
	}
	r.Rules = len(tried)
	r.Sort()
	return r, nil
}

func label(m *trial.Module) string {
	return fmt.Sprintf("%s %s (%.12s)", m.Description.Name, m.Description.Version, m.Digest)
}

// setsFor are the stored rules for a tool under any version's names, by behavior and root, each
// content once.
func setsFor(versions []*trial.Module, tool string, rules []engine.Rule) []trial.RuleSet {
	names := []string{tool}
	for _, m := range versions {
		if t, called, err := m.Tool(tool); err == nil {
			names = append(append(names, called), t.Names()...)
		}
	}
	var sets []trial.RuleSet
	for _, r := range rules {
		if r.WholeTool() || !engine.MatchName(r.Tool, names...) {
			continue
		}
		root := ""
		if r.Scope == engine.Project {
			root = r.ScopeKey
		}
		i := slices.IndexFunc(sets, func(s trial.RuleSet) bool { return s.Behavior == r.Behavior.String() && s.Root == root })
		if i < 0 {
			sets, i = append(sets, trial.RuleSet{Behavior: r.Behavior.String(), Root: root}), len(sets)
		}
		if !slices.Contains(sets[i].Contents, *r.Content) {
			sets[i].Contents = append(sets[i].Contents, *r.Content)
		}
	}
	return sets
}

// changes compares the answers to one call.
func changes(was, is answers, sets []trial.RuleSet) (all []history.AnswerChange) {
	add := func(kind string, d history.Direction, was, is string) {
		all = append(all, history.AnswerChange{Direction: d, Kind: kind, Was: was, Is: is})
	}
	switch a, b := was.strictness, is.strictness; {
	case a != b:
		add("check", direction(b < a), was.check, is.check)
	case was.words != is.words:
		add("check's words", history.Other, was.words, is.words)
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
		add("suggestions", history.Other, a, b)
	}
	return all
}

func direction(looser bool) history.Direction {
	if looser {
		return history.Loosened
	}
	return history.Tightened
}

func matches(yes bool) string {
	if yes {
		return "matches"
	}
	return "does not match"
}

// touchChanges compares the targets named by the versions. A target no longer named is no
// longer held against other tools' rules, or against the protection of the gate itself.
func touchChanges(was, is answers) (all []history.AnswerChange) {
	gone, come := missing(was.touches, is.touches), missing(is.touches, was.touches)
	if len(gone) > 0 {
		all = append(all, history.AnswerChange{Direction: history.Loosened, Kind: "targets told no more", Was: strings.Join(gone, ", ")})
	}
	if len(come) > 0 {
		all = append(all, history.AnswerChange{Direction: history.Tightened, Kind: "targets told anew", Is: strings.Join(come, ", ")})
	}
	if was.action != is.action {
		all = append(all, history.AnswerChange{Direction: history.Other, Kind: "action", Was: was.action, Is: is.action})
	}
	return all
}

// effectChanges compares the effects named by the versions. A rule about an effect holds for a
// named one, and for every call of a version that names none: so an effect named no more lets
// more happen, one that is certain no more is asked about and not denied, and a version that
// begins to name effects rules out the others.
func effectChanges(was, is map[string]bool) (all []history.AnswerChange) {
	switch {
	case was == nil && is == nil:
		return nil
	case was == nil:
		return []history.AnswerChange{{Direction: history.Loosened, Kind: "effects", Was: "not named, so each is possible", Is: effectNames(is, nil)}}
	case is == nil:
		return []history.AnswerChange{{Direction: history.Tightened, Kind: "effects", Was: effectNames(was, nil), Is: "not named, so each is possible"}}
	}
	for _, c := range []history.AnswerChange{
		{Direction: history.Loosened, Kind: "effects named no more", Was: effectNames(was, is)},
		{Direction: history.Tightened, Kind: "effects named anew", Is: effectNames(is, was)},
		{Direction: history.Loosened, Kind: "effects certain no more", Was: certainIn(was, is)},
		{Direction: history.Tightened, Kind: "effects now certain", Is: certainIn(is, was)},
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
