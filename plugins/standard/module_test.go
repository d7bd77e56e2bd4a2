package main

import (
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

func TestExamples(t *testing.T) {
	t.Parallel()
	tooltest.Host{Module: module}.CheckExamples(t)
}

// TestEveryToolHasItsPapers: a person who writes a rule finds out how, and an
// example in both directions for each language of its own.
func TestEveryToolHasItsPapers(t *testing.T) {
	t.Parallel()
	out, err := tool.Handle(module, "describe", nil)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Tools []struct {
			Name     string             `json:"name"`
			Help     string             `json:"rule_help"`
			Schema   json.RawMessage    `json:"input_schema"`
			Examples []tool.RuleExample `json:"rule_examples"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	for _, described := range d.Tools {
		seen := map[bool]bool{}
		for _, e := range described.Examples {
			seen[e.Match] = true
		}
		if described.Help == "" || !seen[true] || !seen[false] || len(described.Schema) < 10 {
			t.Errorf("%s: help %q, schema %s, examples %v", described.Name, described.Help, described.Schema, seen)
		}
	}
}

// TestNamesOfAgents: agents' names for their tools, and their owners.
func TestNamesOfAgents(t *testing.T) {
	t.Parallel()
	host := tooltest.Host{Module: module}
	for name, action := range map[string]string{
		"Read": "tool:view:", "read": "tool:view:", "view": "tool:view:", "read_file": "tool:view:",
		"Write": "tool:create_file:", "write": "tool:create_file:", "create_file": "tool:create_file:", "write_file": "tool:create_file:",
		"Edit": "tool:str_replace:", "edit": "tool:str_replace:", "str_replace": "tool:str_replace:", "replace": "tool:str_replace:", "MultiEdit": "tool:str_replace:",
		"glob": "tool:glob:", "grep": "tool:grep:", "web_fetch": "tool:web_fetch:", "web_search": "tool:web_search:",
		"mcp__a__b": "tool:mcp__a__b:{}", "custom_tool": "tool:custom_tool:{}", "PowerShell": "tool:PowerShell:{}", "generic": "tool:generic:{}",
		"todo_write": "tool:TodoWrite:{}", "spawn_agent": "tool:Agent:{}",
	} {
		if got := host.Describe(t, name, `{}`).Action; got != action {
			t.Errorf("%s: got %q, want %q", name, got, action)
		}
	}
}
