package eval_test

import (
	"encoding/json"
	"slices"
)

func agentscope(c sharedCase) []trial {
	var expect struct{ Behavior string }
	if err := json.Unmarshal(c.Expect, &expect); err != nil {
		return []trial{{c.ID, nil, func(map[string]any) bool { return false }}}
	}
	r := c.scope()
	switch c.Level {
	case "tool":
		r["op"] = "tool_check"
		return []trial{{c.ID, r, behaves(expect.Behavior)}}
	case "suggest":
		// The original's suggestions are information: ours have rules of their own. Only their
		// presence counts.
		r["op"] = "suggest"
		delete(r, "mode")
		return []trial{{c.ID, r, func(got map[string]any) bool { return got["error"] == nil }}}
	}
	if def := c.ToolDef; def != nil {
		own := map[string]any{"name": c.Tool}
		for theirs, ours := range map[string]string{
			"read_only": "read_only", "is_read_only": "read_only", "check_read_only": "read_only",
			"check": "check", "check_permissions": "check",
		} {
			if v, ok := def[theirs]; ok {
				own[ours] = v
			}
		}
		r["tool_defs"] = []any{own}
	}
	return c.decide(r, behaves(c.Acceptable...))
}

func agentscopeReadOnly(c sharedCase) []trial {
	if c.Ideal == nil {
		return nil
	}
	r := c.scope()
	r["op"] = "read_only"
	return []trial{{c.ID, r, func(got map[string]any) bool { return got["read_only"] == *c.Ideal }}}
}

func agentscopeMatch(c sharedCase) (trials []trial) {
	for behavior, ideal := range map[string]*bool{"allow": c.IdealForAllow, "deny": c.IdealForDeny, "ask": c.IdealForDeny} {
		if ideal == nil {
			continue
		}
		r := c.scope()
		r["op"], r["content"], r["behavior"] = "match", c.RuleContent, behavior
		trials = append(trials, trial{c.ID, r, matches(*ideal)})
	}
	return trials
}

func matches(want bool) func(map[string]any) bool {
	return func(got map[string]any) bool { return got["match"] == want }
}

// agentscopeSessions has every step decided with the rules accepted by earlier steps, as the
// case lists them.
func agentscopeSessions(c sharedCase) (trials []trial) {
	accepted := []map[string]any{}
	for _, s := range c.Steps {
		c.Tool, c.Input = s.Tool, s.Input
		r := c.scope()
		r["rules"] = slices.Clone(accepted)
		trials = append(trials, trial{c.ID, r, behaves(s.Acceptable...)})
		for _, i := range s.AcceptSuggestions {
			accepted = append(accepted, s.Expect.Suggestions[i])
		}
	}
	return trials
}
