package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// Advice are the rules that would have saved most asks.
type Advice struct {
	// Without is how often it would have asked with every ask approved once, With how
	// often with the rules in the configuration: both counted by replaying all calls.
	Without int `json:"asks_without"`
	With    int `json:"asks_with"`
	// Rules are those rules, the most useful first; none when no rule would help.
	Rules []AdvisedRule `json:"rules"`
}

// AdvisedRule is one rule with how many of the asks it would have saved after those
// before it.
type AdvisedRule struct {
	Rule  string `json:"rule"`
	Saves int    `json:"saves"`
}

// maxCandidates of the rules on offer are tried on all asks, the most frequent ones: each is
// put to a module with each ask.
const maxCandidates = 40

// Best finds at most n rules, among the gate's first offers, that would have saved the most
// asks, one after the other; and counts the savings.
func Best(ctx context.Context, sessions []Session, o Options, n int) (*Advice, error) {
	o.Store = false
	var chosen []candidate
	a := &Advice{Rules: []AdvisedRule{}}
	if err := withGate(ctx, o, func(g *running) error {
		outcomes, err := g.all(ctx, sessions)
		if err != nil {
			return err
		}
		a.Without = row("", outcomes).Asks
		chosen = g.choose(ctx, outcomes, n)
		return nil
	}); err != nil {
		return nil, err
	}
	if a.With = a.Without; len(chosen) == 0 {
		return a, nil
	}
	var rules bytes.Buffer
	rules.WriteString("rules:\n")
	for _, c := range chosen {
		fmt.Fprintf(&rules, "  - allow: %s\n", yamltext.Quote(c.text))
		a.Rules = append(a.Rules, AdvisedRule{c.text, c.saves})
	}
	var err error
	if o.Config, _, err = recipe.Merge("replay.yaml", o.Config, rules.Bytes(), "the best rules"); err != nil {
		return nil, err
	}
	outcomes, err := Run(ctx, sessions, o)
	if err != nil {
		return nil, err
	}
	a.With = row("", outcomes).Asks
	return a, nil
}

// candidate is a rule on offer.
type candidate struct {
	text string
	rule engine.Rule
	// offers is how many asks offered it first, saves how many of them, and others, it
	// would have saved.
	offers, saves int
}

// open is an ask not yet saved by a chosen rule.
type open struct {
	// alone are the candidates that allow the call by themselves; needs those that do together,
	// as they were offered, without the chosen ones.
	alone, needs []int
}

// choose picks the rules greedily: each saves the most of the remaining asks, where one of
// several rules needed by a call counts as its part of an ask.
func (g *running) choose(ctx context.Context, outcomes []Outcome, n int) (chosen []candidate) {
	all := candidates(outcomes)
	asks := g.opened(ctx, outcomes, all)
	for len(chosen) < n {
		scores, best := make([]float64, len(all)), -1
		for _, a := range asks {
			for _, i := range a.alone {
				scores[i]++
			}
			for _, i := range a.needs {
				if !slices.Contains(a.alone, i) {
					scores[i] += 1 / float64(len(a.needs))
				}
			}
		}
		for i, score := range scores {
			if score > 0 && (best < 0 || score > scores[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		before := len(asks)
		asks = slices.DeleteFunc(asks, func(a *open) bool {
			a.needs = slices.DeleteFunc(a.needs, func(i int) bool { return i == best })
			return slices.Contains(a.alone, best) || len(a.needs) == 0 && len(a.alone) == 0
		})
		c := all[best]
		c.saves = before - len(asks)
		chosen = append(chosen, c)
	}
	return chosen
}

// opened are the asks some candidates would save.
func (g *running) opened(ctx context.Context, outcomes []Outcome, all []candidate) (asks []*open) {
	test, done := g.host.Gate.Tester()
	defer done()
	at := map[string]int{}
	for i, c := range all {
		at[c.text] = i
	}
	for k := range outcomes {
		o := &outcomes[k]
		if !o.Asked || len(o.Suggestions) == 0 {
			continue // no rule allows it
		}
		a := &open{}
		for i, c := range all {
			if c.rule.Tool != o.Tool {
				continue
			}
			if hit, err := test.Matches(ctx, test.Catalog.Lookup(o.Tool), c.rule, &o.call); err == nil && hit {
				a.alone = append(a.alone, i)
			}
		}
		for _, s := range firstSet(o.Suggestions) {
			i, known := at[ruleText(s.rule)]
			if !known {
				a.needs = nil
				break
			}
			a.needs = append(a.needs, i)
		}
		if len(a.alone)+len(a.needs) > 0 {
			asks = append(asks, a)
		}
	}
	return asks
}

// candidates are the rules offered first, by frequency. One with a place of the machine is
// none: the replay has it elsewhere.
func candidates(outcomes []Outcome) (all []candidate) {
	at := map[string]int{}
	for i := range outcomes {
		for _, s := range firstSet(outcomes[i].Suggestions) {
			if s.moved {
				continue
			}
			text := ruleText(s.rule)
			n, known := at[text]
			if !known {
				n = len(all)
				at[text] = n
				all = append(all, candidate{text: text, rule: engine.Rule{Tool: s.rule.Tool, Content: s.rule.Content, Behavior: engine.Allow}})
			}
			all[n].offers++
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.offers - a.offers })
	return all[:min(maxCandidates, len(all))]
}

func firstSet(all []offered) []offered {
	end := 0
	for end < len(all) && all[end].set == all[0].set {
		end++
	}
	return all[:end]
}

// Print writes the advice for a person.
func (a Advice) Print(w io.Writer) {
	fmt.Fprintln(w)
	if len(a.Rules) == 0 {
		fmt.Fprintf(w, "You would have been asked %d times; no rule was on offer.\n", a.Without)
		return
	}
	fmt.Fprintf(w, "With these %d rules you would have been asked %d times instead of %d:\n", len(a.Rules), a.With, a.Without)
	for _, r := range a.Rules {
		fmt.Fprintf(w, "%5d  %s\n", r.Saves, card.Line(r.Rule))
	}
}
