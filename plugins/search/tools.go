package search

import (
	"encoding/json"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Tools returns Glob, Grep and LS.
func Tools() []tool.Tool {
	return []tool.Tool{
		define(tool.Spec[globInput]{
			Name: "Glob", Aliases: []string{"glob", "find_files", "file_search"},
			InputSchema:  `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}`,
			RuleExamples: append(example("**/*.go", `{"pattern":"**/*.go"}`, true), pathExamples(`"pattern":"*.go"`)...),
		}, judge[globInput]{"glob", true}),
		define(tool.Spec[grepInput]{
			Name: "Grep", Aliases: []string{"grep", "search_file_content", "grep_search", "grep_files", "rg"},
			InputSchema:  `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"},"glob":{"type":"string"}},"required":["pattern"]}`,
			RuleExamples: append(append(example("TODO", `{"pattern":"TODO"}`, true), example("TODO", `{"pattern":"TODO:"}`, false)...), pathExamples(`"pattern":"x"`)...),
		}, judge[grepInput]{"grep", false}),
		define(tool.Spec[listInput]{
			Name: "LS", Aliases: []string{"ls", "list", "list_directory", "list_dir"},
			InputSchema:  `{"type":"object","properties":{"path":{"type":"string"}}}`,
			RuleExamples: pathExamples(``),
		}, judge[listInput]{"view", false}),
	}
}

const ruleHelp = `The pattern, exactly (TODO is not TODO:), in any directory; or path: and a glob over the directory that is searched (path:src/**), or such a glob that begins with / or ~/ or ends in /**. ` +
	`A deny or ask rule for a directory also holds for a search that starts above it. ` + paths.ConfigHelp

// pathExamples are of rules for the directory; other is the schema's required member, if any.
func pathExamples(other string) []tool.RuleExample {
	input := func(members ...string) json.RawMessage {
		if other != "" {
			members = append(members, other)
		}
		return json.RawMessage("{" + strings.Join(members, ",") + "}")
	}
	return []tool.RuleExample{
		{Content: "path:src/**", Behavior: tool.Allow, Input: input(`"path":"src/a"`), Match: true},
		{Content: "path:src/**", Behavior: tool.Allow, Input: input(`"path":"lib"`), Match: false},
		{Content: "/project/secrets/**", Behavior: tool.Deny, Input: input(), Match: true},
	}
}

func example(content, input string, match bool) []tool.RuleExample {
	return []tool.RuleExample{{Content: content, Behavior: tool.Allow, Input: json.RawMessage(input), Match: match}}
}

// define adds the common parts of all search tools to a specification.
func define[In input](spec tool.Spec[In], j judge[In]) tool.Tool {
	spec.ReadOnlyTool, spec.RuleHelp = true, ruleHelp
	spec.Check, spec.ReadOnly, spec.Match, spec.Suggest, spec.Describe = j.check, j.readOnly, j.match, j.suggest, j.describe
	return tool.Define(spec)
}
