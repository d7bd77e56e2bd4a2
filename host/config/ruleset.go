package config

import (
	"slices"

	"github.com/callgate/callgate/engine"
)

// Rules are the rules that hold for one agent: the global ones and its own, or, of
// two configurations, the stricter of both. A value does not change and is safe for
// concurrent use; the zero value has none. To make one costs nothing, however many
// rules there are.
type Rules struct {
	global, own *engine.RuleList
	// stricter are the accepted rules and the next ones; nil for one configuration.
	stricter *[2]Rules
}

// All returns the rules. The list is the caller's own.
func (r Rules) All() []engine.Rule { return r.For(nil) }

// For returns the rules that can concern what about says, or all when it is nil.
// The list is the caller's own.
func (r Rules) For(about *engine.About) []engine.Rule {
	if r.stricter != nil {
		// Rules that are compared with each other name the same tool: to choose first
		// leaves none out.
		return stricterRules(r.stricter[0].For(about), r.stricter[1].For(about))
	}
	return append(r.global.For(about), r.own.For(about)...)
}

// ruleLists are the rules of a file, ready to be looked up.
type ruleLists struct {
	global *engine.RuleList
	agents map[string]*engine.RuleList
}

func newRuleLists(c *Config) ruleLists {
	lists := ruleLists{listOf(c.Rules), make(map[string]*engine.RuleList, len(c.Agents))}
	for name, block := range c.Agents {
		lists.agents[name] = listOf(block.Rules)
	}
	return lists
}

func listOf(rules []Rule) *engine.RuleList {
	if len(rules) == 0 {
		return nil
	}
	out := make([]engine.Rule, len(rules))
	for i := range rules {
		out[i] = rules[i].rule
	}
	return engine.NewRuleList(out)
}

// places tell where in a list the rules stand that are the same.
type places map[string][]int

func placesOf(rules []engine.Rule) places {
	p := make(places, len(rules))
	for i, r := range rules {
		key := sameRule(r)
		p[key] = append(p[key], i)
	}
	return p
}

// among are those of the rules that are the same as one of keys, in their order.
func (p places) among(rules []engine.Rule, keys map[string]bool) []engine.Rule {
	var at []int
	for key := range keys {
		at = append(at, p[key]...)
	}
	slices.Sort(at)
	out := make([]engine.Rule, len(at))
	for i, n := range at {
		out[i] = rules[n]
	}
	return out
}

// eachAgent visits the accepted and the next rules of every agent that either
// configuration names, after those of all others. With a name come only the
// agent's own rules and the global ones that are compared with them: what the
// others are worth is the same for every agent, and was seen with the empty name.
// So the work grows with the rules, not with rules times agents.
func (c *Combination) eachAgent(visit func(name string, was, will []engine.Rule)) {
	accepted, next := c.accepted.byTool.global.All(), c.next.byTool.global.All()
	visit("", accepted, next)
	inAccepted, inNext := placesOf(accepted), placesOf(next)
	for _, name := range c.names()[1:] {
		was, will := c.accepted.byTool.agents[name].All(), c.next.byTool.agents[name].All()
		keys := map[string]bool{}
		for _, r := range slices.Concat(was, will) {
			for _, r.Behavior = range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
				keys[sameRule(r)] = true
			}
		}
		visit(name, append(inAccepted.among(accepted, keys), was...), append(inNext.among(next, keys), will...))
	}
}
