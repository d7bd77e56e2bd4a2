package claudecode

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// MaxPayload is the largest accepted payload, in bytes.
const MaxPayload = 16 << 20

// payload is the used part of the client's description of one call. Unused members may come and go
// with the client's versions.
type payload struct {
	Event     text           `json:"hook_event_name"`
	Session   text           `json:"session_id"`
	CWD       text           `json:"cwd"`
	Mode      text           `json:"permission_mode"`
	Tool      text           `json:"tool_name"`
	Input     jsontext.Value `json:"tool_input"`
	CallID    text           `json:"tool_use_id"`
	AgentID   text           `json:"agent_id"`
	AgentType text           `json:"agent_type"`
	Server    *server        `json:"mcp_server"`
}

// server is a tool's MCP server.
type server struct {
	Name   text `json:"name"`
	Source text `json:"source"`
}

// text is a JSON string. Where it is expected, null is a mistake.
type text string

// UnmarshalJSONFrom implements the decoder's interface.
func (t *text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '"' && kind != 0 {
		return fmt.Errorf("got a JSON %s, want a JSON string", kind)
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*t = text(token.String())
	return nil
}

// errTooLarge is a payload beyond the limit.
var errTooLarge = fmt.Errorf("the hook's payload is larger than %d MiB; make the call smaller", MaxPayload>>20)

// read reads a whole payload, at most MaxPayload bytes. The beginning of a longer one may still
// name the event.
func read(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, MaxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the hook's payload: %w", err)
	case len(data) > MaxPayload:
		return data[:MaxPayload], errTooLarge
	}
	return data, nil
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
		value text
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
var modes = map[text]bool{"default": true, "acceptEdits": true, "plan": true, "bypassPermissions": true, "dontAsk": true}

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
