// Package selfedit judges the calls by which an agent would change itself: its
// system prompt, its documents, its permissions, its model.
//
// Every one is a bypass-immune ask and none is read-only: this is the one door
// through which an agent may ask for more, and only a person opens it.
// Source: docs/seeds.md, "Role-Based Gating for Self-Edit Permissions".
package selfedit

import (
	"encoding/json"
	"path"

	"github.com/callgate/callgate/sdk/go/tool"
)

// edit is the input of any of the tools; a tool uses the member it is about.
type edit struct {
	Path    string          `json:"path"`
	Profile string          `json:"profile"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Prompt  json.RawMessage `json:"prompt"`
}

// Tools returns the four tools.
func Tools() []tool.Tool {
	return []tool.Tool{
		define("self_edit_system_prompt", "its own system prompt", func(edit) string { return "system_prompt" }),
		define("self_edit_docs", "its own documents", func(e edit) string { return "docs:" + cleaned(e.Path) }),
		define("self_edit_permissions", "its own permissions", func(e edit) string { return "permissions:" + e.Profile }),
		define("self_edit_model", "its own model", func(e edit) string { return "model:" + e.Model }),
	}
}

// cleaned is a document's path without detours: a pattern for one directory must
// not mean what "docs/../.." leads to.
func cleaned(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(p)
}

func define(name, what string, detail func(edit) string) tool.Tool {
	return tool.Define(tool.Spec[edit]{
		Name:        name,
		InputSchema: `{"type":"object","properties":{"path":{"type":"string"},"profile":{"type":"string"},"model":{"type":"string"},"content":{"type":"string"},"prompt":{"type":"string"}}}`,
		RuleHelp:    "What follows self_edit: in the action string, exactly. Only deny and ask rules have an effect: no rule allows an agent to change " + what + ".",
		RuleExamples: []tool.RuleExample{
			{Content: detail(edit{Path: "x", Profile: "x", Model: "x"}), Behavior: tool.Deny, Input: json.RawMessage(`{"path":"x","profile":"x","model":"x"}`), Match: true},
			{Content: "nothing", Behavior: tool.Deny, Input: json.RawMessage(`{"path":"x","profile":"x","model":"x"}`), Match: false},
		},
		Check: func(*tool.Call[edit]) tool.Verdict {
			return tool.Verdict{
				Behavior: tool.Ask, BypassImmune: true, Reason: "the agent would change " + what,
				Message: "A person has to approve each change of " + what + ".",
			}
		},
		Match: func(c *tool.Call[edit], behavior tool.Behavior, rules []tool.Rule) []int {
			return tool.Indices(rules, func(rule tool.Rule) bool {
				return behavior != tool.Allow && (rule.Content == detail(c.Input) || len(c.Unknown) > 0)
			})
		},
		Suggest: func(*tool.Call[edit]) []tool.Suggestion { return nil },
		Describe: func(c *tool.Call[edit]) tool.Description {
			return tool.Description{Action: "tool:self_edit:" + detail(c.Input), Title: "change " + what, Effects: []tool.Effect{}}
		},
	})
}
