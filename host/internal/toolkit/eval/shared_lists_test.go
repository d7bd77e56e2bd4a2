package eval_test

import (
	"encoding/json"
	"regexp"
	"slices"
)

var ruleText = regexp.MustCompile(`(?s)^([^()]+)\((.*)\)$`)

// textRule reads "Tool" or "Tool(content)".
func textRule(text, behavior string) map[string]any {
	if m := ruleText.FindStringSubmatch(text); m != nil {
		return map[string]any{"tool": m[1], "content": m[2], "behavior": behavior}
	}
	return map[string]any{"tool": text, "content": nil, "behavior": behavior}
}

func vibingMatch(c sharedCase) (trials []trial) {
	for behavior, as := range map[string]*bool{"allow": c.AsAllow, "deny": c.AsDeny} {
		if as == nil {
			as = c.Match
		}
		rule := textRule(c.Rule, behavior)
		r := c.request(c.directory())
		if rule["tool"] == c.Tool {
			r["op"], r["content"], r["behavior"] = "match", rule["content"], behavior
			trials = append(trials, trial{c.ID, r, matches(*as)})
			continue
		}
		r["rules"] = []any{rule}
		trials = append(trials, trial{c.ID, r, func(got map[string]any) bool { return (got["behavior"] == behavior) == *as }})
	}
	return trials
}

func (c sharedCase) directory() string {
	if c.CWD != "" {
		return c.CWD
	}
	return projectDir
}

func vibingEval(c sharedCase) []trial {
	var expect string
	_ = json.Unmarshal(c.Expect, &expect) // no text: nothing is acceptable
	var rules []any
	for _, behavior := range []string{"deny", "ask", "allow"} {
		for _, text := range c.Lists[behavior] {
			rules = append(rules, textRule(text, behavior))
		}
	}
	r := c.request(projectDir)
	r["rules"] = rules
	r["context"].(map[string]any)["resumed"] = c.Resumed
	accept := c.Accept
	if accept == nil {
		accept = []string{expect}
	}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		return got["error"] != nil && slices.Contains(accept, "invalid") || expect == "mode" && got["stage"] == "mode" || behaves(accept...)(got)
	}}}
}

func athenaPlan(c sharedCase) []trial {
	if c.Label == "either" {
		return nil
	}
	c.Mode = "explore"
	return []trial{{c.ID, c.request(projectDir), func(got map[string]any) bool {
		return (got["behavior"] == "allow") == (c.Label == "safe")
	}}}
}

func athena(c sharedCase) []trial {
	var expect string
	_ = json.Unmarshal(c.Expect, &expect) // no text: nothing is acceptable
	c.Mode = c.Phase
	r := c.request(projectDir)
	if c.Disallowed != nil {
		r["disallowed_tools"] = c.Disallowed
	}
	if c.Allowed != nil {
		r["allowed_tools"] = *c.Allowed
	}
	if c.RespectDenylist != nil {
		r["respect_denylist"] = *c.RespectDenylist
	}
	skills := map[string][]string{}
	for name, tools := range c.ActiveSkills {
		if tools != nil {
			skills[name] = tools
		}
	}
	if len(skills) > 0 {
		r["active_skills"] = skills
	}
	asked := true
	switch c.Callback {
	case nil, "none":
		asked = false
	case "allow_with_value":
		r["callback"] = "allow"
	case "raise":
		r["callback"] = map[string]any{"garbage": "raised"}
	default:
		r["callback"] = c.Callback
	}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		// Without a callback the original allows and we ask.
		return got["behavior"] == expect || !asked && expect == "allow" && got["behavior"] == "ask"
	}}}
}
