package canary

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"os"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/codex"
	"github.com/callgate/callgate/host/internal/hook/gemini"
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// Client is a client whose hook can be tried.
type Client struct {
	// Word is the client's name after "callgate hook", Title its name for people.
	Word  settings.Client
	Title string
	// Verdict is the client's reaction to an outcome of the hook.
	Verdict func(settings.Hook, runner.Outcome) runner.Effect
	// Unproven are the failures that no attempt outside the client can show.
	Unproven string
	// Env is the environment of the hook; nil for this process's own.
	Env []string

	event            string
	write, todo      string // the client's names of a tool that writes, and of one without effect
	path, text, list string // members of their inputs
	patch            bool   // the writing tool takes a patch
	bash             string // the shell for a line; empty for sh
}

// Clients are all clients with a hook, in the order of process.Clients.
func Clients() []Client {
	return []Client{
		{
			Word: settings.ClaudeCode, Title: "Claude Code", event: settings.PreToolUse,
			write: "Write", path: "file_path", text: "content", todo: "TodoWrite", list: "todos",
			Verdict: func(h settings.Hook, o runner.Outcome) runner.Effect {
				return claudecode.Verdict(claudecode.PreToolUse, o, h.OnFailure == "block")
			},
			Unproven: "whether the client reads these settings: --bare, --safe-mode and --setting-sources leave them out",
		},
		{
			Word: settings.Codex, Title: "Codex", event: settings.PreToolUse,
			write: "apply_patch", patch: true, text: "command", todo: "update_plan", list: "plan",
			Verdict:  func(_ settings.Hook, o runner.Outcome) runner.Effect { return codex.Verdict(o) },
			Unproven: "a hook beyond Codex's own time-out: the call RUNS. The hook answers after four fifths of that time",
		},
		{
			Word: settings.GeminiCLI, Title: "Gemini CLI", event: settings.BeforeTool,
			bash: "bash", write: "write_file", path: "file_path", text: "content", todo: "write_todos", list: "todos",
			Verdict:  func(_ settings.Hook, o runner.Outcome) runner.Effect { return gemini.Verdict(o) },
			Unproven: "a hook beyond Gemini CLI's own time-out: the call RUNS. The hook answers after four fifths of that time",
		},
		{
			Word: opencode.Word, Title: "opencode", event: "tool.execute.before",
			write: "write", path: "filePath", text: "content", todo: "todowrite", list: "todos",
			Verdict:  func(_ settings.Hook, o runner.Outcome) runner.Effect { return opencode.Verdict(o) },
			Unproven: `whether opencode loads the plugin. Without it opencode asks you before each call ("permission": {"*": "ask"})`,
		},
	}
}

// Find is the client of a word.
func Find(word settings.Client) (Client, bool) {
	for _, c := range Clients() {
		if c.Word == word {
			return c, true
		}
	}
	return Client{}, false
}

// shell is the client's shell for a hook that is a line.
func (c Client) shell() string {
	if c.Word == settings.Codex {
		return cmp.Or(os.Getenv("SHELL"), "sh")
	}
	return cmp.Or(c.bash, "sh")
}

// sessionPrefix begins the names of canaries' sessions.
const sessionPrefix = "callgate-canary-"

// Session is the name of a new session for one canary; the audit finds its call by it.
func (c Client) Session() string { return sessionPrefix + string(c.Word) + "-" + rand.Text() }

// ClientOf is the client of a canary's session; ok is false for another session.
func ClientOf(session string) (c Client, ok bool) {
	rest, found := strings.CutPrefix(session, sessionPrefix)
	if i := strings.LastIndexByte(rest, '-'); found && i > 0 {
		return Find(settings.Client(rest[:i]))
	}
	return Client{}, false
}

// Write is the client's payload for a call that writes to a file. Every mode denies it for a file
// of Callgate's own.
func (c Client) Write(session, dir, file string) []byte {
	const text = "callgate: a canary that must be denied\n"
	input := map[string]any{c.text: text}
	if c.patch {
		input[c.text] = "*** Begin Patch\n*** Add File: " + file + "\n+" + text + "*** End Patch\n"
	} else {
		input[c.path] = file
	}
	return c.payload(session, dir, c.write, input)
}

// Harmless is the payload of a call without an effect, also if it ran: an empty list of things to
// do.
func (c Client) Harmless(session, dir string) []byte {
	return c.payload(session, dir, c.todo, map[string]any{c.list: []any{}})
}

// payload is a superset of the clients' descriptions of a call; each hook takes its own members.
func (c Client) payload(session, dir, tool string, input map[string]any) []byte {
	id := "canary_" + rand.Text()
	members := map[string]any{
		"session_id": session, "cwd": dir, "hook_event_name": c.event, "tool_name": tool, "tool_input": input,
	}
	switch c.Word {
	case opencode.Word:
		members["call_id"], members["mcp"] = id, map[string]any{}
	case settings.GeminiCLI:
		members["transcript_path"], members["timestamp"] = "", time.Now().UTC().Format(time.RFC3339)
	default:
		members["transcript_path"], members["permission_mode"], members["tool_use_id"] = "", "default", id
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic("canary: a payload is not JSON: " + err.Error()) // our own bug: strings are
	}
	return text
}
