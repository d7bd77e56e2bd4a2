package file

import (
	"encoding/json"
	"maps"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Tools returns the tools.
func Tools() []tool.Tool {
	return []tool.Tool{
		define[readInput](tool.Spec[readInput]{
			Name: "Read", Aliases: []string{"read", "view", "read_file", "view_file", "view_image", "show_file", "NotebookRead"}, ReadOnlyTool: true,
			InputSchema:  `{"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"},"pages":{"type":"string"}},"required":["file_path"]}`,
			RuleExamples: examples("file_path", nil),
		}, judge[readInput]{action: "view", access: tool.Read}),
		define(tool.Spec[manyInput]{
			Name: "ReadMany", Aliases: []string{"read_many_files"}, ReadOnlyTool: true,
			InputSchema:  `{"type":"object","properties":{"paths":{"type":"array","items":{"type":"string"}},"include":{"type":"array","items":{"type":"string"}},"exclude":{"type":"array","items":{"type":"string"}}}}`,
			RuleExamples: manyExamples,
		}, judge[manyInput]{action: "view", access: tool.Read, globs: true}),
		define(tool.Spec[writeInput]{
			Name: "Write", Aliases: []string{"write", "create_file", "write_file", "write_to_file", "create"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}`,
			RuleExamples: examples("file_path", map[string]any{"content": "x"}),
		}, judge[writeInput]{action: "create_file", access: tool.Write}),
		define(tool.Spec[editInput]{
			Name: "Edit", Aliases: []string{"edit", "str_replace", "edit_file", "replace", "search_replace", "str_replace_editor", "str_replace_based_edit_tool", "replace_string_in_file", "insert_edit_into_file"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"file_path":{"type":"string"},"old_string":{"type":"string"},"new_string":{"type":"string"},"replace_all":{"type":"boolean"}},"required":["file_path","old_string","new_string"]}`,
			RuleExamples: examples("file_path", map[string]any{"old_string": "x", "new_string": "y"}),
		}, judge[editInput]{action: "str_replace", access: tool.Write}),
		define(tool.Spec[multiEditInput]{
			Name: "MultiEdit", Aliases: []string{"multi_edit", "multiedit", "multi_replace_string_in_file"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"file_path":{"type":"string"},"edits":{"type":"array","items":{"type":"object"}}},"required":["file_path","edits"]}`,
			RuleExamples: examples("file_path", map[string]any{"edits": []any{map[string]string{"old_string": "x", "new_string": "y"}}}),
		}, judge[multiEditInput]{action: "str_replace", access: tool.Write}),
		define(tool.Spec[notebookInput]{
			Name: "NotebookEdit", Aliases: []string{"notebook_edit", "edit_notebook_file"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"notebook_path":{"type":"string"},"cell_id":{"type":"string"},"new_source":{"type":"string"},"cell_type":{"type":"string"},"edit_mode":{"type":"string"}},"required":["notebook_path","new_source"]}`,
			RuleExamples: examples("notebook_path", map[string]any{"new_source": "x"}),
		}, judge[notebookInput]{action: "str_replace", access: tool.Write}),
		define(tool.Spec[patchInput]{
			Name: "ApplyPatch", Aliases: []string{"apply_patch", "patch"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`,
			RuleExamples: patchExamples,
		}, judge[patchInput]{action: "str_replace", access: tool.Write}),
		define(tool.Spec[deleteInput]{
			Name: "Delete", Aliases: []string{"delete_file"}, EditsFiles: true,
			InputSchema:  `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`,
			RuleExamples: examples("path", nil),
		}, judge[deleteInput]{action: "delete_file", access: tool.Write}),
	}
}

const ruleHelp = `A glob over the file's path: * stays within a directory, ** crosses directories (src/**/*.py includes src/a.py), ? is one character, [ab] a class, {a,b} alternatives, \ takes the meaning of the next character. ` +
	`A relative pattern starts at the project root or the first working directory, ~/ at the home directory, **/ anywhere. ` +
	`An allow rule must name the path as written and as links lead; a deny or ask rule either, in any case, and without a slash in every directory below. Of several files an allow needs each named, by some rule. ` +
	paths.ConfigHelp

// examples are those of a tool for one file, named by member; others are the schema's other
// required members.
func examples(member string, others map[string]any) []tool.RuleExample {
	example := func(content string, behavior tool.Behavior, file string, match bool) tool.RuleExample {
		input := map[string]any{member: file}
		maps.Copy(input, others)
		in, err := jsonv2.Marshal(input, jsonv2.Deterministic(true))
		if err != nil {
			panic("file: a map of texts is JSON: " + err.Error())
		}
		return tool.RuleExample{Content: content, Behavior: behavior, Input: in, Match: match}
	}
	return []tool.RuleExample{
		example("src/**", tool.Allow, "/project/src/a/b.py", true),
		example("src/**/*.py", tool.Allow, "/project/src/a.py", true),
		example("src/**", tool.Allow, "/project/lib/a.py", false),
		example("src/**", tool.Allow, "/project/src/../secret", false),
		example("*.json", tool.Allow, "/project/config/a.json", false),
		example("*.json", tool.Deny, "/project/config/a.json", true),
		example("src/**", tool.Deny, "/project/lib/../SRC/a.py", true),
		example("~/notes/**", tool.Ask, "/home/user/notes/a.md", true),
		example("**/.bashrc", tool.Deny, "/home/user/.bashrc", true),
	}
}

var manyExamples = []tool.RuleExample{
	{Content: "src/**", Behavior: tool.Allow, Input: json.RawMessage(`{"paths":["src/a","src/b/c"]}`), Match: true},
	{Content: "src/**", Behavior: tool.Allow, Input: json.RawMessage(`{"paths":["src/a","lib/b"]}`), Match: false},
	{Content: "src/**", Behavior: tool.Deny, Input: json.RawMessage(`{"paths":["src/a","lib/b"]}`), Match: true},
}

var patchExamples = []tool.RuleExample{
	{Content: "src/**", Behavior: tool.Allow, Input: json.RawMessage(`{"input":"*** Begin Patch\n*** Update File: src/a\n@@\n-x\n+y\n*** End Patch\n"}`), Match: true},
	{Content: "src/**", Behavior: tool.Allow, Input: json.RawMessage(`{"input":"*** Begin Patch\n*** Update File: src/a\n*** Move to: lib/a\n*** End Patch\n"}`), Match: false},
	{Content: "src/**", Behavior: tool.Deny, Input: json.RawMessage(`{"input":"*** Begin Patch\n*** Delete File: src/a\n*** End Patch\n"}`), Match: true},
}

// define adds the common parts of all file tools to a specification.
func define[In input](spec tool.Spec[In], j judge[In]) tool.Tool {
	spec.RuleHelp = ruleHelp
	spec.Check, spec.Match, spec.Suggest, spec.Describe = j.check, j.match, j.suggest, j.describe
	if j.access == tool.Read {
		spec.ReadOnly = j.readOnly
	}
	return tool.Define(spec)
}
