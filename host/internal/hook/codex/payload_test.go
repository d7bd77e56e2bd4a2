package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// row is a line of a transcript with a call.
func row(name, id string, args map[string]any) string {
	text, _ := json.Marshal(args)
	line, _ := json.Marshal(map[string]any{"type": "response_item", "payload": map[string]any{"type": "function_call", "name": name, "arguments": string(text), "call_id": id}})
	return string(line) + "\n"
}

// TestParse: each of the client's calls as the gate gets it.
func TestParse(t *testing.T) {
	t.Parallel()
	args := func(more ...any) map[string]any {
		m := map[string]any{"cmd": "touch a"}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	const seen = `{"command":"touch a"}`
	for name, test := range map[string]struct {
		tool, input, transcript string
		wantTool, wantInput     string // wantInput: a part; the whole for one without blanks
		wantServer, wantErr     string
	}{
		"a command":               {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", args("workdir", "sub")), wantTool: "Bash", wantInput: seen},
		"among others' calls":     {tool: "Bash", input: seen, transcript: row("exec_command", "call_2", args("tty", true)) + row("exec_command", "call_1", args()), wantTool: "Bash", wantInput: seen},
		"at a terminal":           {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", args("tty", true)), wantErr: "tty"},
		"one of two, a terminal":  {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", args("tty", true)) + row("exec_command", "call_1", args()), wantErr: "tty"},
		"another shell":           {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", args("shell", "./sh")), wantTool: "Bash", wantInput: `"shell":"./sh"`},
		"out of the sandbox":      {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", args("sandbox_permissions", "require_escalated")), wantTool: "Bash", wantInput: `"sandbox_permissions":"require_escalated"`},
		"not in the transcript":   {tool: "Bash", input: seen, wantTool: "Bash", wantInput: unseen},
		"another command there":   {tool: "Bash", input: seen, transcript: row("exec_command", "call_1", map[string]any{"cmd": "ls"}), wantTool: "Bash", wantInput: unseen},
		"another tool there":      {tool: "Bash", input: seen, transcript: row("write_stdin", "call_1", args()), wantTool: "Bash", wantInput: unseen},
		"a patch":                 {tool: "apply_patch", input: `{"command":"*** Begin Patch"}`, wantTool: "apply_patch", wantInput: `{"command":"*** Begin Patch"}`},
		"an image":                {tool: "view_image", input: `{"path":"a.png"}`, wantTool: "view_image", wantInput: `{"path":"a.png"}`},
		"a plug-in's Write":       {tool: "Write", input: `{}`, wantTool: "codex__Write", wantInput: `{}`},
		"a server's tool":         {tool: "mcp__ev__echo", input: `{}`, wantTool: "mcp__ev__echo", wantInput: `{}`, wantServer: "ev user"},
		"an unknown server":       {tool: "mcp__other__echo", input: `{}`, wantTool: "mcp__other__echo", wantInput: `{}`, wantServer: "other unknown not_found"},
		"two readings, one known": {tool: "mcp__a__b__c", input: `{}`, wantTool: "mcp__a__b__c", wantInput: `{}`, wantServer: "a__b user"},
		"two readings, none":      {tool: "mcp__x__y__z", input: `{}`, wantTool: "mcp__x__y__z", wantInput: `{}`},
		"no object":               {tool: "Bash", input: `"x"`, wantErr: "tool_input"},
		"no tool":                 {input: `{}`, wantErr: "tool_name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "rollout.jsonl")
			write(t, path, "{\"type\":\"event_msg\"}\n"+test.transcript)
			write(t, filepath.Join(dir, configFile), "[mcp_servers.ev]\ncommand = \"x\"\n[mcp_servers.\"a__b\"]\nurl = \"http://localhost\"\n")
			transcript, _ := json.Marshal(path)
			r, err := Servers{User: []string{dir}}.parse([]byte(`{"session_id":"s","turn_id":"t","transcript_path":` + string(transcript) + `,"cwd":"/p","hook_event_name":"PreToolUse","permission_mode":"bypassPermissions","tool_name":"` +
				test.tool + `","tool_input":` + test.input + `,"tool_use_id":"call_1"}`))
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Errorf("got %v, want a word about %s", err, test.wantErr)
				}
				return
			}
			server := ""
			if s := r.Context.Server; s != nil {
				server = strings.TrimSpace(s.Name + " " + s.Source + " " + s.Doubt)
			}
			if err != nil || r.Tool != test.wantTool || !strings.Contains(string(r.Input), test.wantInput) || server != test.wantServer || r.Context.CWD != "/p" || r.Context.Mode != "" || r.CallID != "call_1" {
				t.Errorf("got %+v, %s, server %q, %v", r, r.Input, server, err)
			}
		})
	}
}

// TestParse_refuses: anything but one payload of the event before a call is an error.
func TestParse_refuses(t *testing.T) {
	t.Parallel()
	good := `{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"view_image","tool_input":{"path":"a"},"tool_use_id":"c"}`
	if _, err := (Servers{}).parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "null", "[]", good + good, good[:40], strings.Replace(good, "PreToolUse", "PostToolUse", 1), strings.Replace(good, `"/p"`, "null", 1),
		strings.Replace(good, `"path":"a"`, `"path":"a","path":"b"`, 1), strings.Replace(good, `"cwd"`, `"tool_name":"x","cwd"`, 1), strings.Replace(good, "tool_use_id", "Tool_use_id", 1),
	} {
		if r, err := (Servers{}).parse([]byte(bad)); err == nil {
			t.Errorf("%s: got %+v, want an error", bad, r)
		}
	}
}

// FuzzParse: no payload panics, and each that is taken names its tool and call.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c","transcript_path":null}`))
	f.Add([]byte(`{"session_id":"s","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":{},"tool_use_id":"c"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := (Servers{}).parse(data); err == nil && (r.Tool == "" || r.CallID == "" || !json.Valid(r.Input)) {
			t.Errorf("%q: got %+v", data, r)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
