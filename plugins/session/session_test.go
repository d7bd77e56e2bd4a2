package session_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/session"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "session", Version: "1", Tools: session.Tools()}}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

// TestAllowed: none needs a person; in explore all but the list of things to do
// may run (ExAthena's plan mode denies TodoWrite).
func TestAllowed(t *testing.T) {
	t.Parallel()
	for name, readOnly := range map[string]bool{
		"TodoWrite": false, "todo_write": false, "TaskCreate": false,
		"BashOutput": true, "TaskOutput": true, "KillShell": false, "TaskStop": false,
		"TodoRead": true, "Agent": true, "Task": true, "spawn_agent": true, "Skill": true, "ToolSearch": true,
		"AskUserQuestion": true, "plan_mode": true, "EnterPlanMode": true, "ExitPlanMode": true, "exit_plan_mode": true,
		"finish": true, "StructuredOutput": true, "ListMcpResourcesTool": true, "list_mcp_resources": true, "request_user_input": true, "plan_exit": true,
		"CronList": true, "ListAgents": true, "ReportFindings": true, "Sleep": true, "wait_agent": true, "close_agent": false,
	} {
		in := `{"any":{"thing":[1]}}`
		if got := host.Check(t, name, in); got.Behavior != tool.Allow {
			t.Errorf("%s: check got %+v, want allow", name, got)
		}
		if got := host.ReadOnly(t, name, in); got != readOnly {
			t.Errorf("%s: read-only got %v, want %v", name, got, readOnly)
		}
		if got := host.Check(t, name, `[]`); got.Behavior != tool.Ask {
			t.Errorf("%s: check of a list got %+v, want ask", name, got)
		}
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, rule, input string
		want              bool
	}{
		{"Task", "explore", `{"subagent_type":"explore","prompt":"x"}`, true},
		{"Task", "explore", `{"subagent_type":"build","description":"explore"}`, false},
		{"Task", "explore", `{"description":"explore"}`, true},
		{"Task", "explore", `{"subagent_type":["explore"]}`, true},
		{"Skill", "deploy", `{"skill":"deploy"}`, true},
		{"Task", "Explore", `{"subagent_type":" explore"}`, true},
		{"Skill", "plugin:deploy", `{"skill":"plugin:deploy"}`, true},
		{"Skill", "deploy", `{"skill":"plugin:Deploy"}`, true},
		{"Skill", "deploy", `{"skill":"/deploy"}`, true},
		{"Skill", "deploy", `{"skill":"redeploy"}`, false},
		{"Skill", "one:deploy", `{"skill":"two:deploy"}`, false},
		{"Skill", "skill:dep*", `{"skill":"deploy"}`, true},
		{"AskUserQuestion", "x:1", `{"":""}`, false},
	} {
		if got := host.Match(t, tool.Deny, tc.rule, tc.tool, tc.input); got != tc.want {
			t.Errorf("%s(%s) on %s: got %v, want %v", tc.tool, tc.rule, tc.input, got, tc.want)
		}
	}
}
