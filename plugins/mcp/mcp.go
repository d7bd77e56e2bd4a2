// Package mcp judges calls of MCP servers' tools, by the names mcp__server__tool.
//
// The effects of such a tool are unknown, so none is read-only, despite its server's annotations:
// they never widen. A rule's content is the input as JSON, or "param:value". Deny and ask rules for
// files and hosts hold for the paths and addresses in an input. The engine finds a tool's server
// (threat T26).
package mcp

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/named"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Tools returns the one entry, for every name with the prefix "mcp__".
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
		Suggest: func(c *tool.Call[map[string]json.RawMessage]) []tool.Suggestion {
			return named.Suggest(c.Tool, c.Raw)
		},
		Describe: func(c *tool.Call[map[string]json.RawMessage]) tool.Description {
			detail, err := tool.Canonical(c.Raw)
			if err != nil {
				return tool.Description{TargetsUnknown: true}
			}
			whole := true
			targets, unknown := named.Targets(c.Context, c.Raw, reads(c.Tool))
			return tool.Description{Action: "tool:" + c.Tool + ":" + detail, Title: c.Tool, Targets: targets, TargetsUnknown: unknown, Analysed: &whole}
		},
	})}
}

// readingTools are names of reading tools in widely used servers: deny rules for writing do not
// concern paths in their input.
var readingTools = []string{
	"read_file", "read_text_file", "read_media_file", "read_multiple_files", "get_file_info", "get_file_contents", "list_directory", "list_directory_with_sizes",
	"directory_tree", "search_files", "read_resource", "fetch",
}

func reads(name string) bool {
	return slices.Contains(readingTools, name[strings.LastIndex(name, "__")+2:])
}
