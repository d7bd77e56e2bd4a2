package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// Client is the hook; servers are the places of MCP server definitions.
func Client(servers Servers) runner.Client {
	return runner.Client{
		Parse: servers.parse,
		Allow: settings.Codex.Allow(),
	}
}

// payload is the used part of the client's description of one call.
type payload struct {
	Event      runner.Text    `json:"hook_event_name"`
	Session    runner.Text    `json:"session_id"`
	CWD        runner.Text    `json:"cwd"`
	Mode       runner.Text    `json:"permission_mode"`
	Tool       runner.Text    `json:"tool_name"`
	Input      jsontext.Value `json:"tool_input"`
	CallID     runner.Text    `json:"tool_use_id"`
	Transcript jsontext.Value `json:"transcript_path"`
}

// own are the client's own tools; first-party modules know their names and inputs.
var own = map[string]bool{
	shell: true, "apply_patch": true, "view_image": true, "update_plan": true, "request_user_input": true,
	"spawn_agent": true, "wait_agent": true, "close_agent": true, "list_agents": true,
}

// shell is the hook's name of exec_command.
const shell = "Bash"

// modes are the client's modes that narrow. The others are claims to do more, and left out.
var modes = map[runner.Text]bool{"plan": true, "dontAsk": true}

func (s Servers) parse(data []byte) (wire.Request, error) {
	var p payload
	if err := jsonv2.Unmarshal(data, &p); err != nil {
		return wire.Request{}, fmt.Errorf("the hook's payload is invalid: %w", strictjson.Explain(err))
	}
	if p.Event != settings.PreToolUse {
		return wire.Request{}, fmt.Errorf("the hook's payload is invalid: hook_event_name: got %.60q, want PreToolUse", string(p.Event))
	}
	for _, m := range []struct {
		name  string
		value runner.Text
	}{{"session_id", p.Session}, {"tool_name", p.Tool}, {"cwd", p.CWD}, {"tool_use_id", p.CallID}} {
		if m.value == "" {
			return wire.Request{}, fmt.Errorf("the hook's payload is invalid: %s: missing", m.name)
		}
	}
	if p.Input.Kind() != '{' {
		return wire.Request{}, errors.New("the hook's payload is invalid: tool_input: want a JSON object")
	}
	r := wire.Request{
		CallID: string(p.CallID), Input: json.RawMessage(p.Input),
		Context: wire.CallContext{Client: string(settings.Codex), Session: string(p.Session), CWD: string(p.CWD)},
	}
	if modes[p.Mode] {
		r.Context.Mode = string(p.Mode)
	}
	if strings.HasPrefix(string(p.Tool), mcpPrefix) {
		r.Tool, r.Context.Server = string(p.Tool), s.server(string(p.Tool), string(p.CWD))
		return r, nil
	}
	r.Tool = runner.Tool(string(settings.Codex), string(p.Tool), own)
	if p.Tool != shell {
		return r, nil
	}
	var err error
	r.Input, err = p.command()
	return r, err
}

// refusedTTY is the answer to a program at a terminal: what the agent types into it (write_stdin)
// reaches no hook.
const refusedTTY = runner.Refusal(`Callgate does not see what is typed into a program with "tty": true. Run it without tty, with its whole input in the command`)

// unseen is a member that no module knows, so it takes every allowance from the call.
const unseen = "callgate_unseen_arguments"

// command is the input of a shell call. The client shows its hook the line alone; which shell reads
// it, whether at a terminal, and whether outside the sandbox is in the session's transcript, which
// the client writes before it runs the hook.
func (p payload) command() (json.RawMessage, error) {
	var in map[string]jsontext.Value
	if err := jsonv2.Unmarshal(p.Input, &in); err != nil {
		return nil, fmt.Errorf("the hook's payload is invalid: tool_input: %w", strictjson.Explain(err))
	}
	found := p.spoken(in["command"])
	for try := 0; found == nil && try < patience; try++ {
		time.Sleep(pause)
		found = p.spoken(in["command"])
	}
	if len(found) == 0 {
		in[unseen] = jsontext.Value(`"the arguments of this call are not in the session's transcript"`)
	}
	for _, args := range found {
		if tty, given := args["tty"]; given && string(tty) != "false" && string(tty) != "null" {
			return nil, refusedTTY
		}
		for _, name := range []string{"shell", "sandbox_permissions", "justification", "additional_permissions"} {
			if value, given := args[name]; given && string(value) != "null" && in[name] == nil {
				in[name] = value
			}
		}
	}
	return jsonv2.Marshal(in, jsonv2.Deterministic(true))
}

// The waits for the client to write its transcript.
const (
	patience = 5
	pause    = 50 * time.Millisecond
)

// maxTranscript is how much of a transcript's end is read, in bytes: the call is among its last
// lines.
const maxTranscript = 4 << 20

// spoken are the arguments of every call with this call's id at the end of the transcript, one of
// them with this command; none where that is not so.
func (p payload) spoken(command jsontext.Value) []map[string]jsontext.Value {
	var path, line string
	if jsonv2.Unmarshal(p.Transcript, &path) != nil || jsonv2.Unmarshal(command, &line) != nil {
		return nil
	}
	var found []map[string]jsontext.Value
	same := false
	for text := range bytes.Lines(tail(path)) {
		if !bytes.Contains(text, []byte(p.CallID)) {
			continue
		}
		var row struct {
			Type string `json:"type"`
			Call struct {
				Type      string `json:"type"`
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
				ID        string `json:"call_id"`
			} `json:"payload"`
		}
		if jsonv2.Unmarshal(text, &row) != nil || row.Type != "response_item" || row.Call.Type != "function_call" || row.Call.ID != string(p.CallID) {
			continue
		}
		var args map[string]jsontext.Value
		if row.Call.Name != "exec_command" || jsonv2.Unmarshal([]byte(row.Call.Arguments), &args) != nil {
			return nil
		}
		var said string
		if jsonv2.Unmarshal(args["cmd"], &said) == nil && said == line {
			same = true
		}
		found = append(found, args)
	}
	if !same {
		return nil
	}
	return found
}

// tail is the end of a regular file; nothing where it cannot be read.
func tail(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxTranscript), maxTranscript))
	if err != nil {
		return nil
	}
	return data
}
