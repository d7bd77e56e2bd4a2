// Package session judges calls that only steer the agent's own session: its
// plan, its questions, its sub-agents and skills.
//
// Those without effect outside it are allowed; so is starting a sub-agent,
// because each call of the child passes the gate itself. In explore, what does
// not even change the session's notes is read-only; TodoWrite is not.
// Source: design section 6; the ExAthena seed's plan mode.
package session

import (
	"encoding/json"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

// members are an input that means nothing to the gate.
type members map[string]json.RawMessage

// entry is one tool: its names, and what a person is told.
type entry struct {
	name     string
	aliases  []string
	reason   string
	readOnly bool
	// subject is the member that a bare rule content names; empty for none.
	subject string
}

var entries = []entry{
	{"TodoWrite", []string{"todo_write", "todowrite", "write_todos", "update_plan", "TaskCreate", "TaskUpdate"}, "it only changes the session's list of things to do", false, ""},
	{"TodoRead", []string{"todo_read", "todoread", "TaskList", "TaskGet"}, "it only reads the session's list of things to do", true, ""},
	{"Agent", []string{"Task", "task", "agent", "spawn_agent"}, "each call of the sub-agent is decided by itself", true, "subagent_type"},
	{"Skill", []string{"skill", "activate_skill"}, "it only loads instructions; each call they lead to is decided by itself", true, "skill"},
	{"ToolSearch", []string{"tool_search"}, "it only looks up tools", true, ""},
	{"AskUserQuestion", []string{"ask_user_question", "ask_user", "question"}, "it only asks the user", true, ""},
	{"TaskOutput", []string{"BashOutput", "bash_output", "AgentOutputTool"}, "it only reads what a background task of the session has said", true, ""},
	{"TaskStop", []string{"KillShell", "KillBash", "kill_shell"}, "it only ends a background task that the session itself has started", false, ""},
	{"PlanMode", []string{"plan_mode", "EnterPlanMode", "enter_plan_mode"}, "it only makes the agent plan", true, ""},
	{"ExitPlanMode", []string{"exit_plan_mode"}, "it only ends the agent's planning, which the user is asked about; the gate's mode stays", true, ""},
}

// ownNotes tells the host's protection of itself that such a call touches nothing
// outside the session, whatever its texts mention.
var ownNotes = []tool.Mark{{Kind: tool.Service, Value: "session", Access: tool.Read}}

// Tools returns the tools of a session.
func Tools() []tool.Tool {
	var tools []tool.Tool
	for _, e := range entries {
		tools = append(tools, e.define())
	}
	return tools
}

func (e entry) define() tool.Tool {
	spec := tool.Spec[members]{
		Name: e.name, Aliases: e.aliases, ReadOnlyTool: e.readOnly,
		RuleHelp: "The whole input as JSON, or param:value with * for any text.",
		RuleExamples: []tool.RuleExample{
			{Content: "a:x*", Behavior: tool.Deny, Input: json.RawMessage(`{"a":"xy"}`), Match: true},
			{Content: "a:x*", Behavior: tool.Deny, Input: json.RawMessage(`{"a":"y"}`), Match: false},
		},
		Check: func(*tool.Call[members]) tool.Verdict { return tool.Verdict{Behavior: tool.Allow, Reason: e.reason} },
		Match: e.match,
		Describe: func(c *tool.Call[members]) tool.Description {
			detail, err := tool.Canonical(c.Raw)
			if err != nil {
				return tool.Description{}
			}
			return tool.Description{Action: "tool:" + e.name + ":" + detail, Title: e.name, Marks: ownNotes}
		},
	}
	if e.subject != "" {
		spec.RuleHelp = "The " + e.subject + ", exactly; or the whole input as JSON, or param:value with * for any text. A deny or ask rule also holds for a call that names none."
		spec.RuleExamples = append(spec.RuleExamples,
			tool.RuleExample{Content: "explore", Behavior: tool.Deny, Input: json.RawMessage(`{"` + e.subject + `":"explore"}`), Match: true},
			tool.RuleExample{Content: "explore", Behavior: tool.Deny, Input: json.RawMessage(`{"` + e.subject + `":"other"}`), Match: false})
	}
	return tool.Define(spec)
}

// match adds to the default the bare content that names the subject.
func (e entry) match(c *tool.Call[members], behavior tool.Behavior, rules []tool.Rule) []int {
	var subject string
	if raw, ok := c.Input[e.subject]; ok {
		if err := jsonv2.Unmarshal(raw, &subject); err != nil {
			subject = ""
		}
	}
	return tool.Indices(rules, func(rule tool.Rule) bool {
		switch {
		case subject == "":
		case rule.Content == subject:
			return true
		case !strings.ContainsAny(rule.Content, ":{"): // another subject's name
			return false
		}
		return len(tool.MatchParameters(c.Raw, behavior, []tool.Rule{rule})) > 0
	})
}
