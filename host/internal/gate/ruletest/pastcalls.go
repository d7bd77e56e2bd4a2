package ruletest

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// comparison is a stored allow rule and its tool, as it is now and as it will be.
type comparison struct {
	rule      engine.Rule
	old, next modules.Entry
}

const (
	// maxPastCalls bounds the past calls of one tool for comparing two modules, the newest
	// first.
	maxPastCalls = 200
	// maxPastTrials bounds how often they are put to the new module for all rules
	// together; rules of many projects see fewer of them.
	maxPastTrials = 2000
	// maxPastFailures is the number of failing inputs before a new module gets no more in that
	// place: each may take the whole time of a verb.
	maxPastFailures = 3
)

// testPlace is a tool, and where rules of it are tried.
type testPlace struct{ tool, dir string }

// widerOnPastCalls are the rules matching a past call only with the next module, not with the
// current one. The audit keeps inputs with secrets masked, cut at 64 KiB, and without their
// directory: both modules get the kept form, in the imaginary project of rule examples or that
// of the rule; cut inputs do not count.
func (s *Stored) widerOnPastCalls(ctx context.Context, now, next describe.Catalog, all []comparison) (wider []comparison) {
	groups := map[testPlace][]comparison{}
	var order []testPlace
	for _, c := range all {
		p := testPlace{c.next.Name, common(c.rule, c.rule).CWD}
		if groups[p] == nil {
			order = append(order, p)
		}
		groups[p] = append(groups[p], c)
	}
	past := map[string][]json.RawMessage{}
	was, is := Tester{Catalog: now, Targets: s.c.Targets}, Tester{Catalog: next, Targets: s.c.Targets}
	for _, p := range order {
		group := groups[p]
		if _, known := past[p.tool]; !known {
			past[p.tool] = s.pastInputs(ctx, slices.Concat(group[0].old.Names(p.tool), group[0].next.Names(p.tool)))
		}
		inputs, failures := past[p.tool], 0
		for _, input := range inputs[:min(len(inputs), max(1, maxPastTrials/len(order)))] {
			found, err := widerOn(ctx, was, is, group, input)
			wider = append(wider, found...)
			if err != nil {
				failures++
			}
			group = slices.DeleteFunc(slices.Clone(group), func(c comparison) bool {
				return slices.ContainsFunc(found, func(f comparison) bool { return f.rule.ID == c.rule.ID })
			})
			if len(group) == 0 || failures == maxPastFailures || ctx.Err() != nil {
				break
			}
		}
	}
	return wider
}

// widerOn are those of the rules of one tool and place that match an input with the next module
// alone. A module's failure with it proves nothing; the error is the next one's.
func widerOn(ctx context.Context, was, is Tester, rules []comparison, input json.RawMessage) (wider []comparison, err error) {
	call := func(r engine.Rule) *engine.Call {
		return &engine.Call{Tool: r.Tool, Input: input, Context: common(r, r)}
	}
	// A module need not name all matching rules: repeat until none is left.
	for left := slices.Clone(rules); len(left) > 0; {
		first := left[0]
		texts := make([]engine.Rule, len(left))
		for i, c := range left {
			texts[i] = c.rule
		}
		hits, err := is.matching(ctx, first.next, texts, call(first.rule))
		if err != nil || len(hits) == 0 {
			return wider, err
		}
		var others []comparison
		for i, c := range left {
			if !slices.Contains(hits, i) {
				others = append(others, c)
				continue
			}
			if before, err := was.Matches(ctx, c.old, c.rule, call(c.rule)); err == nil && !before {
				wider = append(wider, c)
			}
		}
		left = others
	}
	return wider, nil
}

// pastInputs are the inputs of the last calls of a tool, by any of its names, each
// once.
func (s *Stored) pastInputs(ctx context.Context, names []string) (inputs []json.RawMessage) {
	slices.Sort(names)
	seen := map[string]bool{}
	for _, name := range slices.Compact(names) {
		for row, err := range s.c.Store.Audit(ctx, store.Filter{Event: store.EventDecision, Tool: name, Newest: true, Limit: maxPastCalls}) {
			if err != nil {
				s.c.Log.Error("past calls could not be read; stored rules are not tested on them with a new tool module", "error", err)
				return inputs
			}
			input, err := strictjson.Object([]byte(row.Input))
			if err == nil && !seen[string(input)] && len(inputs) < maxPastCalls {
				seen[string(input)] = true
				inputs = append(inputs, input)
			}
		}
	}
	return inputs
}
