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

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// MaxPayload is the largest payload that is read, in bytes.
const MaxPayload = 16 << 20

// payload is what the client says of one call, as far as it is used. Members
// that are not used may come and go with the client's versions.
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

// server is the MCP server that a tool belongs to.
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

// read reads a whole payload, at most MaxPayload bytes. The beginning of one that
// is longer may still tell the event.
func read(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, MaxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the hook's payload could not be read: %w", err)
	case len(data) > MaxPayload:
		return data[:MaxPayload], fmt.Errorf("the hook's payload has more than %d MiB, which is not judged: make the call smaller", MaxPayload>>20)
	}
	return data, nil
}

// used are the members of a payload that are read.
var used = []string{"hook_event_name", "session_id", "cwd", "permission_mode", "tool_name", "tool_input", "tool_use_id", "agent_id", "agent_type", "mcp_server"}

// usedAlone is the payload without what is not read. Among that are texts which
// the client cuts off in the middle of a character, such as a call's output; what
// is read stays as it is written.
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

// parse reads a payload: one JSON object, no name twice at any depth, what is
// read in UTF-8, the names as the client writes them. With an error comes what was read so far,
// which may tell the event.
func parse(data []byte) (payload, error) {
	var p payload
	if len(data) == 0 {
		return p, errors.New("the hook got no payload on its standard input: it is started by Claude Code, not by hand")
	}
	err := jsonv2.Unmarshal(data, &p)
	if err != nil {
		if known, cut := usedAlone(data); cut == nil {
			p = payload{}
			err = jsonv2.Unmarshal(known, &p)
		}
	}
	if err != nil {
		return p, fmt.Errorf("the hook's payload is not understood: %w", strictjson.Explain(err))
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("the hook's payload is not understood: %w", err)
	}
	return p, nil
}

// check wants what each event must tell.
func (p payload) check() error {
	if !p.event().known() {
		return fmt.Errorf("hook_event_name: %.60q is not answered: want one of %s; install the hook anew with: callgate hook claude-code --install", string(p.Event), strings.Join(settings.Events(), ", "))
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

// modes are the client's modes that the gate knows under the same names. Others
// ("auto", what comes later) say nothing, and the operator's mode holds.
var modes = map[text]bool{"default": true, "acceptEdits": true, "plan": true, "bypassPermissions": true, "dontAsk": true}

// claim is what the call says of itself.
func (p payload) claim() gate.Claim {
	c := gate.Claim{Session: string(p.Session), CWD: string(p.CWD), SubAgent: p.subAgent(), SubAgentType: string(p.AgentType)}
	if modes[p.Mode] {
		c.Mode = string(p.Mode)
	}
	return c
}

// subAgent names the sub-agent that calls; empty for the main one.
func (p payload) subAgent() string {
	switch {
	case p.AgentID == "":
		return string(p.AgentType)
	case p.AgentType == "":
		return string(p.AgentID)
	}
	return string(p.AgentType) + " (" + string(p.AgentID) + ")"
}

// request is the call as the gate judges it. A permission request has no id of
// its own: it is about a call that PreToolUse has put already. The id it gets is
// this hook's, so that it finds its ask again when the daemon was restarted.
func (p payload) request() gate.Request {
	first := p.event() == PreToolUse
	id := string(p.CallID)
	if id == "" {
		id = "permission_" + rand.Text()
	}
	return gate.Request{
		CallID: id, Tool: string(p.Tool), Input: json.RawMessage(p.Input), Context: p.claim(), Reports: first, FollowsUp: !first,
	}
}
