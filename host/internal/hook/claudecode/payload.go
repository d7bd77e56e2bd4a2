package claudecode

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// payload is the used part of the client's description of one call. Unused members may come and go
// with the client's versions.
type payload struct {
	Event     runner.Text    `json:"hook_event_name"`
	Session   runner.Text    `json:"session_id"`
	CWD       runner.Text    `json:"cwd"`
	Mode      runner.Text    `json:"permission_mode"`
	Tool      runner.Text    `json:"tool_name"`
	Input     jsontext.Value `json:"tool_input"`
	CallID    runner.Text    `json:"tool_use_id"`
	AgentID   runner.Text    `json:"agent_id"`
	AgentType runner.Text    `json:"agent_type"`
	Server    *server        `json:"mcp_server"`
}

// server is a tool's MCP server.
type server struct {
	Name   runner.Text `json:"name"`
	Source runner.Text `json:"source"`
}

// used are the used members of a payload.
var used = []string{"hook_event_name", "session_id", "cwd", "permission_mode", "tool_name", "tool_input", "tool_use_id", "agent_id", "agent_type", "mcp_server"}

// usedAlone is the payload without unused members. Some of these are texts cut by the client in the
// middle of a character, such as a call's output; used members stay unchanged.
func usedAlone(data []byte) ([]byte, error) {
	var all map[string]jsontext.Value
	if err := jsonv2.Unmarshal(data, &all, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, err
	}
	out := []byte("{")
	for _, name := range used {
		if value, ok := all[name]; ok {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, '"'), name...), `":`...)
			out = append(out, value...)
		}
	}
	return append(out, '}'), nil
}

// parse reads a payload: one JSON object, no name twice at any depth, used members in UTF-8, the
// names as the client writes them. With an error comes the part read so far: it may name the event.
func parse(data []byte) (payload, error) {
	var p payload
	if len(data) == 0 {
		return p, errors.New("the hook got no payload on standard input; it is started by Claude Code, not by hand")
	}
	err := jsonv2.Unmarshal(data, &p)
	if err != nil {
		if known, cut := usedAlone(data); cut == nil {
			p = payload{}
			err = jsonv2.Unmarshal(known, &p)
		}
	}
	if err != nil {
		return p, fmt.Errorf("the hook's payload is invalid: %w", strictjson.Explain(err))
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("the hook's payload is invalid: %w", err)
	}
	return p, nil
}

// check requires the necessary members of each event.
func (p payload) check() error {
	if !p.event().known() {
		return fmt.Errorf("hook_event_name: unsupported event %.60q; want one of %s. Reinstall the hook: callgate hook claude-code --install", string(p.Event), strings.Join(settings.Events(), ", "))
	}
	if p.event() == UserPromptSubmit {
		if p.Session == "" {
			return errors.New("session_id: missing")
		}
		return nil
	}
	for _, m := range []struct {
		name  string
		value runner.Text
	}{{"session_id", p.Session}, {"tool_name", p.Tool}, {"cwd", p.CWD}, {"tool_use_id", p.CallID}} {
		if m.value == "" && (m.name != "tool_use_id" || p.event() != PermissionRequest) {
			return fmt.Errorf("%s: missing", m.name)
		}
	}
	if p.Input.Kind() != '{' {
		return errors.New("tool_input: want a JSON object")
	}
	return p.checkServer()
}

func (p payload) event() Event { return Event(p.Event) }

// modes are the client's modes known to the gate under the same names. With others ("auto", future
// ones) the operator's mode holds.
var modes = map[runner.Text]bool{"default": true, "acceptEdits": true, "plan": true, "bypassPermissions": true, "dontAsk": true}

// claim is the call's description of itself.
func (p payload) claim() wire.CallContext {
	c := wire.CallContext{Client: wire.ClaudeCode, Session: string(p.Session), CWD: string(p.CWD), SubAgent: p.subAgent(), SubAgentType: string(p.AgentType)}
	if modes[p.Mode] {
		c.Mode = string(p.Mode)
	}
	return c
}

// subAgent names the calling sub-agent; empty for the main one.
func (p payload) subAgent() string {
	switch {
	case p.AgentID == "":
		return string(p.AgentType)
	case p.AgentType == "":
		return string(p.AgentID)
	}
	return string(p.AgentType) + " (" + string(p.AgentID) + ")"
}

// request is the gate's view of the call. A permission request has no id of its own: it is about an
// earlier call of PreToolUse. Its id is this hook's, to find its ask again after the daemon's
// restart.
func (p payload) request() wire.Request {
	first := p.event() == PreToolUse
	id := string(p.CallID)
	if id == "" {
		id = "permission_" + rand.Text()
	}
	return wire.Request{
		CallID: id, Tool: string(p.Tool), Input: json.RawMessage(p.Input), Context: p.claim(), Reports: first, FollowsUp: !first,
	}
}
