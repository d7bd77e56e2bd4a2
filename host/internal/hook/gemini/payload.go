package gemini

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// Client is the hook.
func Client() runner.Client { return runner.Client{Parse: parse, Allow: settings.GeminiCLI.Allow()} }

// payload is the used part of the client's description of one call.
type payload struct {
	Event   runner.Text    `json:"hook_event_name"`
	Session runner.Text    `json:"session_id"`
	CWD     runner.Text    `json:"cwd"`
	Tool    runner.Text    `json:"tool_name"`
	Input   jsontext.Value `json:"tool_input"`
	Server  jsontext.Value `json:"mcp_context"`
}

// own are the client's own tools; first-party modules know their names and inputs.
var own = map[string]bool{
	"run_shell_command": true, "write_file": true, "read_file": true, "read_many_files": true, "replace": true,
	"list_directory": true, "glob": true, "grep_search": true, "search_file_content": true, "web_fetch": true,
	"google_web_search": true, "write_todos": true, "activate_skill": true, "ask_user": true,
	"complete_task": true, "enter_plan_mode": true, "exit_plan_mode": true, "get_internal_docs": true, "list_mcp_resources": true,
}

// renamed are its tools with a name that no module declares.
var renamed = map[string]string{"invoke_agent": "Agent", "update_topic": "ReportIntent"}

func parse(data []byte) (wire.Request, error) {
	var p payload
	err := jsonv2.Unmarshal(data, &p)
	switch {
	case err != nil:
		err = strictjson.Explain(err)
	case p.Event != settings.BeforeTool:
		err = fmt.Errorf("hook_event_name: got %.60q, want %s", string(p.Event), settings.BeforeTool)
	case p.Session == "":
		err = errors.New("session_id: missing")
	case p.Tool == "":
		err = errors.New("tool_name: missing")
	case !filepath.IsAbs(string(p.CWD)):
		err = fmt.Errorf("cwd: got %.60q, want an absolute path", string(p.CWD))
	case p.Input.Kind() != '{':
		err = errors.New("tool_input: want a JSON object")
	}
	if err != nil {
		return wire.Request{}, fmt.Errorf("the hook's payload is invalid: %w", err)
	}
	r := wire.Request{
		// The client has no id of a call: each one is new, also an equal one.
		CallID: "gemini_" + rand.Text(), Input: json.RawMessage(p.Input),
		Tool:    cmp.Or(renamed[string(p.Tool)], runner.Tool(string(settings.GeminiCLI), string(p.Tool), own)),
		Context: wire.CallContext{Client: string(settings.GeminiCLI), Session: string(p.Session), CWD: string(p.CWD)},
	}
	if len(p.Server) == 0 || p.Server.Kind() == 'n' {
		return r, nil
	}
	r.Tool, r.Context.Server, err = server(p.Server)
	return r, err
}

// server is an MCP tool's name for the gate, and the facts about its server. The client's own name,
// mcp_SERVER_TOOL, has several readings, so it does not count.
func server(said jsontext.Value) (tool string, s *wire.Server, err error) {
	var all map[string]jsontext.Value
	var names struct {
		Server runner.Text `json:"server_name"`
		Tool   runner.Text `json:"tool_name"`
	}
	err = errors.Join(jsonv2.Unmarshal(said, &all), jsonv2.Unmarshal(said, &names))
	if err != nil || names.Server == "" || names.Tool == "" {
		return "", nil, fmt.Errorf("the hook's payload is invalid: mcp_context: want an object with server_name and tool_name (%w)", errors.Join(err))
	}
	delete(all, "tool_name")
	text, err := jsonv2.Marshal(all, jsonv2.Deterministic(true))
	name := runner.InToolName(string(names.Server))
	// The client says what it runs, and not where that is defined: a source of its own.
	s = runner.Identify(name, nil, string(text))
	return "mcp__" + name + "__" + runner.InToolName(string(names.Tool)), s, err
}
