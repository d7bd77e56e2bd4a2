// Package session judges calls that only steer the agent's own session: its
// plan, its questions, its sub-agents and skills.
//
// Those without effect outside it are allowed; so is starting a sub-agent,
// because each call of the child passes the gate itself. In explore, what does
// not even change the session's notes is read-only; TodoWrite is not.
// Source: docs/seeds.md, "`:plan`".
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

// entries are the tools of Claude Code, Codex, Copilot, Gemini CLI, OpenCode and ExAthena
// that have no effect outside the session. What is missing here is missing for a
// reason and is the generic tool's: SlashCommand and Workflow run
// commands or scripts, EnterWorktree and ExitWorktree change directories and
// files, CronCreate and save_memory outlive the session, SendMessage may reach
// other sessions, write_stdin and write_bash type into a program, ReadMcpResource reads what a
// server wants, attempt_completion (Cline) may hold a command.
var entries = []entry{
	{"TodoWrite", []string{"todo_write", "todowrite", "write_todos", "update_plan", "update_todo", "manage_todo_list", "TaskCreate", "TaskUpdate"}, "it only changes the session's list of things to do", false, ""},
	{"TodoRead", []string{"todo_read", "todoread", "TaskList", "TaskGet"}, "it only reads the session's list of things to do", true, ""},
	{"Agent", []string{"Task", "task", "agent", "spawn_agent", "SpawnAgent", "runSubagent"}, "each call of the sub-agent is decided by itself", true, "subagent_type"},
	{"Skill", []string{"skill", "activate_skill"}, "it only loads instructions; each call they lead to is decided by itself", true, "skill"},
	{"ToolSearch", []string{"tool_search", "get_internal_docs", "fetch_copilot_cli_documentation"}, "it only looks up tools and the client's own help", true, ""},
	{"ListMcpResources", []string{"ListMcpResourcesTool", "list_mcp_resources", "list_mcp_resource_templates"}, "it only lists what the session's MCP servers offer", true, ""},
	{"AskUserQuestion", []string{"ask_user_question", "ask_user", "question", "request_user_input", "ask_followup_question"}, "it only asks the user", true, ""},
	{"ListAgents", []string{"list_agents"}, "it only lists the session's agents and the account's other sessions", true, ""},
	{"ReportIntent", []string{"report_intent"}, "it only tells the user what the agent is about to do", true, ""},
	{"InvalidTool", []string{"invalid"}, "it only tells the agent that it has named no tool", true, ""},
	{"ReportFindings", nil, "it only shows the user what a review found", true, ""},
	{"TaskOutput", []string{"BashOutput", "bash_output", "AgentOutputTool", "wait_agent", "read_agent", "read_bash", "list_bash", "get_terminal_output"}, "it only reads what a background task of the session has said", true, ""},
	{"TaskStop", []string{"KillShell", "KillBash", "kill_shell", "close_agent", "stop_bash"}, "it only ends a background task that the session itself has started", false, ""},
	{"CronList", []string{"cron_list"}, "it only lists what the session has scheduled", true, ""},
	{"Sleep", []string{"sleep", "wait"}, "it only waits", true, ""},
	{"Finish", []string{"finish", "StructuredOutput", "structured_output", "complete_task"}, "it only ends the agent's turn with an answer", true, ""},
	{"PlanMode", []string{"plan_mode", "EnterPlanMode", "enter_plan_mode", "plan_enter"}, "it only makes the agent plan", true, ""},
	{"ExitPlanMode", []string{"exit_plan_mode", "plan_exit"}, "it only ends the agent's planning, which the user is asked about; the gate's mode stays", true, ""},
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
			return tool.Description{Action: "tool:" + e.name + ":" + detail, Title: e.name, Marks: ownNotes, Effects: []tool.Effect{}}
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

// sameSubject reports whether a client may take the called name for the one that a
// deny or ask rule names: in another case, with blanks around or a slash before
// it, with the plugin it comes from ("office:pdf" is "pdf").
func sameSubject(content, called string) bool {
	plain := func(s string) string { return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "/")) }
	content, called = plain(content), plain(called)
	return content != "" && (content == called || !strings.Contains(content, ":") && strings.HasSuffix(called, ":"+content))
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
		case rule.Content == subject, behavior != tool.Allow && sameSubject(rule.Content, subject):
			return true
		case !strings.ContainsAny(rule.Content, ":{"): // another subject's name
			return false
		}
		return len(tool.MatchParameters(c.Raw, behavior, []tool.Rule{rule})) > 0
	})
}
