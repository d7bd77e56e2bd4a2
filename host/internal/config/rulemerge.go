package config

import (
	"cmp"
	"time"

	"github.com/callgate/callgate/engine"
)

// ruleEnds tell until when each rule holds, for all agents and, by name, for one; the
// zero time is for ever.
type ruleEnds map[string]map[string]ruleEnd

type ruleEnd struct {
	time.Time
	text string // of the first such rule
}

func endsOf(c *Config) ruleEnds {
	out := ruleEnds{"": ends(c.Rules)}
	for name, block := range c.Agents {
		out[name] = ends(block.Rules)
	}
	return out
}

func ends(rules []Rule) map[string]ruleEnd {
	out := make(map[string]ruleEnd, len(rules))
	for _, r := range rules {
		key := sameRule(r.rule)
		switch end, there := out[key]; {
		case !there:
			out[key] = ruleEnd{r.rule.ExpiresAt, ruleLine(r.rule)}
		case before(end.Time, r.rule.ExpiresAt):
			out[key] = ruleEnd{r.rule.ExpiresAt, end.text}
		}
	}
	return out
}

// of is until when the agent, or with "" every agent, has such a rule.
func (e ruleEnds) of(agent string, r engine.Rule) (end time.Time, there bool) {
	key := sameRule(r)
	own, there := e[agent][key]
	if all, too := e[""][key]; too && (!there || before(own.Time, all.Time)) {
		return all.Time, true
	}
	return own.Time, there
}

// text is such a rule as it is shown; empty for none.
func (e ruleEnds) text(agent string, r engine.Rule) string {
	key := sameRule(r)
	return cmp.Or(e[""][key].text, e[agent][key].text)
}

// goesOn reports whether an equal deny or ask rule lasts as long, or, for an ask rule, an equal
// deny rule does. An ask rule matches everything the same text matches in a deny rule
// (docs/abi.md).
func (e ruleEnds) goesOn(agent string, r engine.Rule) bool {
	end, there := e.of(agent, r)
	if there && !before(end, r.ExpiresAt) {
		return true
	}
	if r.Behavior != engine.Ask {
		return false
	}
	r.Behavior = engine.Deny
	end, there = e.of(agent, r)
	return there && !before(end, r.ExpiresAt)
}

// rules are the deny and ask rules of both, and the allow rules in both for the shorter time. The
// file's further permissions wait. A rule in both is the file's, for its place there. A new ask
// rule of one comes before the tool's own denial, and the other keeps this denial: it only
// tightens.
func (d *difference) rules(path string, was, will []Rule) []Rule {
	out := make([]Rule, 0, len(will))
	own := map[string]bool{}
	for _, r := range will {
		own[sameRule(r.rule)] = true
		end, both := d.was.of(d.agent, r.rule)
		if r.rule.Behavior == engine.Allow {
			if !both || before(end, r.rule.ExpiresAt) {
				d.wait(r.field, d.was.text(d.agent, r.rule), ruleLine(r.rule))
			}
			if !both {
				continue
			}
			r.rule.ExpiresAt = earlier(r.rule.ExpiresAt, end)
		}
		if r.rule.Behavior != engine.Allow && both && before(r.rule.ExpiresAt, end) {
			r.rule.ExpiresAt = end // an earlier end waits
		}
		r.rule.OnlyTightens = r.rule.Behavior == engine.Ask && (!both || before(end, r.rule.ExpiresAt))
		out = append(out, r)
	}
	for _, r := range was {
		allows := r.rule.Behavior == engine.Allow
		end, both := d.will.of(d.agent, r.rule)
		switch {
		case allows && both && !own[sameRule(r.rule)]: // the file allows it to all
			r.rule.ExpiresAt = earlier(r.rule.ExpiresAt, end)
			out = append(out, r)
		case !allows && !d.will.goesOn(d.agent, r.rule):
			d.wait(path, ruleLine(r.rule), d.will.text(d.agent, r.rule))
			if !own[sameRule(r.rule)] {
				r.rule.OnlyTightens = r.rule.Behavior == engine.Ask
				out = append(out, r)
			}
		}
	}
	return out
}

func ruleLine(r engine.Rule) string {
	text := r.Behavior.String() + " " + r.String()
	if !r.ExpiresAt.IsZero() {
		text += " until " + r.ExpiresAt.Format(time.RFC3339)
	}
	return text
}

// sameRule is equal for rules with the same calls, agent and effect.
func sameRule(r engine.Rule) string {
	key := r.Behavior.String() + "\x00" + r.Tool
	if !r.WholeTool() {
		key += "\x00" + *r.Content
	}
	return key
}

// before compares ends; the zero time is for ever.
func before(a, b time.Time) bool { return !a.IsZero() && (b.IsZero() || a.Before(b)) }

func earlier(a, b time.Time) time.Time {
	if before(b, a) {
		return b
	}
	return a
}
