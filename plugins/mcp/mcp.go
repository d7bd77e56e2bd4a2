// Package mcp judges calls of tools that MCP servers offer, by the names
// mcp__server__tool.
//
// Nobody here knows what such a tool does, so none is read-only, whatever its
// server says in annotations: they never widen (design section 6). A rule's
// content is the input as JSON, or "param:value".
package mcp

import (
	"encoding/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Tools returns the one entry, for every name that begins with "mcp__".
func Tools() []tool.Tool {
	return []tool.Tool{tool.Define(tool.Spec[map[string]json.RawMessage]{
		Name:     "mcp__*",
		RuleHelp: `The whole input as JSON ({"owner":"ann","repo":"site"}), or param:value with * for any text (repo:ann/*). A rule for the tool without content allows every input.`,
		RuleExamples: []tool.RuleExample{
			{Content: `{"b": 1, "a": "x"}`, Behavior: tool.Allow, Input: json.RawMessage(`{"a":"x","b":1}`), Match: true},
			{Content: `{"a":"x"}`, Behavior: tool.Allow, Input: json.RawMessage(`{"a":"x","b":1}`), Match: false},
			{Content: "repo:ann/*", Behavior: tool.Allow, Input: json.RawMessage(`{"repo":"ann/site"}`), Match: true},
			{Content: "repo:ann/*", Behavior: tool.Deny, Input: json.RawMessage(`{"repo":"bob/site"}`), Match: false},
		},
		Describe: func(c *tool.Call[map[string]json.RawMessage]) tool.Description {
			detail, err := tool.Canonical(c.Raw)
			if err != nil {
				return tool.Description{TargetsUnknown: true}
			}
			return tool.Description{Action: "tool:" + c.Tool + ":" + detail, Title: c.Tool}
		},
	})}
}
