// Package generic judges calls of tools unknown to every module.
//
// It has no opinion on them: nothing is allowed or read-only by itself. Deny and ask rules for
// files and hosts hold for the paths and addresses in an input; further effects of such a call are
// unknown. A rule's content is the input as JSON, or "param:value".
package generic

import (
	"encoding/json"

	"github.com/callgate/callgate/plugins/internal/named"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Name is the entry's name; the host uses it for unclaimed names.
const Name = "generic"

// Tools returns the one entry.
func Tools() []tool.Tool {
	return []tool.Tool{tool.Define(tool.Spec[map[string]json.RawMessage]{
		Name:     Name,
		RuleHelp: `The whole input as JSON ({"target":"staging"}), or param:value with * for any text (target:staging-*). A rule for the tool without content allows every input.`,
		RuleExamples: []tool.RuleExample{
			{Content: `{"target":"staging"}`, Behavior: tool.Allow, Input: json.RawMessage(`{"target":"staging"}`), Match: true},
			{Content: `{"target":"staging"}`, Behavior: tool.Allow, Input: json.RawMessage(`{"target":"staging","force":true}`), Match: false},
			{Content: "target:staging-*", Behavior: tool.Allow, Input: json.RawMessage(`{"target":"staging-web"}`), Match: true},
			{Content: "target:prod-*", Behavior: tool.Deny, Input: json.RawMessage(`{"target":["staging-web","prod-web"]}`), Match: true},
		},
		Suggest: func(c *tool.Call[map[string]json.RawMessage]) []tool.Suggestion {
			return named.Suggest(c.Tool, c.Raw)
		},
		Describe: func(c *tool.Call[map[string]json.RawMessage]) tool.Description {
			detail, err := tool.Canonical(c.Raw)
			if err != nil {
				return tool.Description{TargetsUnknown: true}
			}
			whole := true
			targets, unknown := named.Targets(c.Context, c.Raw, false)
			return tool.Description{Action: "tool:" + c.Tool + ":" + detail, Title: c.Tool, Targets: targets, TargetsUnknown: unknown, Analysed: &whole}
		},
	})}
}
