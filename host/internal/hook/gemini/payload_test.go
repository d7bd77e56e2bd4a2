package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// TestParse: each of the client's calls as the gate gets it.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tool, input, server string
		want, wantServer    string // wantServer: name and source
	}{
		"a command":           {tool: "run_shell_command", input: `{"command":"ls","dir_path":"sub"}`, want: "run_shell_command"},
		"a file":              {tool: "write_file", input: `{"file_path":"a","content":""}`, want: "write_file"},
		"a skill's tool":      {tool: "Bash", input: `{}`, want: "gemini-cli__Bash"},
		"a sub-agent's start": {tool: "invoke_agent", input: `{"agent_name":"generalist","prompt":"x"}`, want: "Agent"},
		"a sub-agent's end":   {tool: "complete_task", input: `{"result":{}}`, want: "complete_task"},
		"a server's tool":     {tool: "mcp_ev_echo", input: `{}`, server: `{"server_name":"ev","tool_name":"echo","command":"x"}`, want: "mcp__ev__echo", wantServer: "ev unknown"},
		"named as our own":    {tool: "write_file", input: `{}`, server: `{"server_name":"ev","tool_name":"write_file"}`, want: "mcp__ev__write_file", wantServer: "ev unknown"},
		"without a context":   {tool: "mcp_ev_echo", input: `{}`, want: "gemini-cli__mcp_ev_echo"},
		"a bad context":       {tool: "mcp_ev_echo", input: `{}`, server: `{"server_name":"ev"}`},
		"no object":           {tool: "glob", input: `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `{"session_id":"s","transcript_path":"","cwd":"/p","hook_event_name":"BeforeTool","timestamp":"","tool_name":"` + test.tool + `","tool_input":` + test.input
			if test.server != "" {
				text += `,"mcp_context":` + test.server
			}
			r, err := parse([]byte(text + "}"))
			server := ""
			if s := r.Context.Server; s != nil {
				server = s.Name + " " + s.Source
			}
			if (err == nil) != (test.want != "") || err == nil && (r.Tool != test.want || string(r.Input) != test.input || server != test.wantServer || r.CallID == "") {
				t.Errorf("got %+v, server %q, %v", r, server, err)
			}
			if again, err := parse([]byte(text + "}")); err == nil && again.CallID == r.CallID {
				t.Error("an equal call has the same id")
			}
		})
	}
}

// TestParse_server: another program behind a server's name is another server.
func TestParse_server(t *testing.T) {
	t.Parallel()
	definition := func(command, tool string) string {
		_, s, err := server([]byte(`{"server_name":"ev","tool_name":"` + tool + `","command":"` + command + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return s.Definition
	}
	if definition("x", "a") != definition("x", "b") || definition("x", "a") == definition("y", "a") {
		t.Error("the definition is not that of the server")
	}
}

// FuzzParse: no payload panics, and each that is taken names its tool and call.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","cwd":"/p","hook_event_name":"BeforeTool","tool_name":"glob","tool_input":{},"mcp_context":{"server_name":"a","tool_name":"b"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := parse(data); err == nil && (r.Tool == "" || r.CallID == "" || !json.Valid(r.Input)) {
			t.Errorf("%q: got %+v", data, r)
		}
	})
}

// TestLook: what a settings file and a project's say about the hook.
func TestLook(t *testing.T) {
	t.Parallel()
	entry := settings.Entry{Client: settings.GeminiCLI, Binary: "/opt/callgate", Endpoint: "unix:/run/s", TokenFile: "/run/t", Timeout: time.Hour}
	for _, scope := range []settings.Scope{settings.User, settings.Managed} {
		path := filepath.Join(t.TempDir(), "settings.json")
		e := entry
		e.Alone = scope == settings.Managed
		if _, err := settings.InstallFile(path, scope, e, false); err != nil {
			t.Fatal(err)
		}
		s := Look(path, scope)
		if s.Err != nil || !s.Installed || !strings.HasPrefix(s.Name, "callgate-") || s.Hook.Program()[0] != entry.Binary {
			t.Errorf("got %+v", s)
		}
		if again, err := settings.InstallFile(path, scope, e, false); err != nil || again.Written {
			t.Errorf("a second install: %+v, %v", again, err)
		}
		for text, off := range map[string]bool{
			"{}": false, `{"hooksConfig":{"enabled":true}}`: false, `{"hooksConfig":{"enabled":false}}`: scope == settings.User,
			`{"hooksConfig":{"disabled":["` + s.Name + `"]}}`: true, `{"hooksConfig":{"disabled":["callgate"]}}`: false,
		} {
			file := filepath.Join(t.TempDir(), "project.json")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.Off(Look(file, settings.Project), file); (got != "") != off {
				t.Errorf("%s: %s: got %q, want off %t", scope, text, got, off)
			}
		}
	}
}
