package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// allow is the only answer that lets a call run: plugin.js compares it.
const allow = `{"decision":"allow"}`

// Client is the hook behind the plugin.
func Client() runner.Client { return runner.Client{Parse: parse, Allow: allow} }

// payload is the plugin's message about one call.
type payload struct {
	Event   runner.Text    `json:"hook_event_name"`
	Session runner.Text    `json:"session_id"`
	CallID  runner.Text    `json:"call_id"`
	CWD     runner.Text    `json:"cwd"`
	Tool    runner.Text    `json:"tool_name"`
	Input   jsontext.Value `json:"tool_input"`
	// MCP are the client's MCP servers; null where the client did not say.
	MCP map[string]jsontext.Value `json:"mcp"`
}

// own are the client's own tools; first-party modules know their names and inputs. None has a "_",
// which a server's tool always has.
var own = map[string]bool{
	"bash": true, "read": true, "write": true, "edit": true, "patch": true, "glob": true, "grep": true, "list": true,
	"webfetch": true, "websearch": true, "codesearch": true, "todowrite": true, "todoread": true, "task": true,
	"skill": true, "question": true, "invalid": true,
}

// patchTool is the client's own tool with a name that a tool of a server "apply" has, too.
const patchTool = "apply_patch"

func parse(data []byte) (wire.Request, error) {
	var p payload
	err := jsonv2.Unmarshal(data, &p)
	switch {
	case err != nil:
		err = strictjson.Explain(err)
	case p.Event != "tool.execute.before":
		err = fmt.Errorf("hook_event_name: got %.60q, want tool.execute.before", string(p.Event))
	case p.Session == "" || p.CallID == "" || p.Tool == "":
		err = errors.New("session_id, call_id or tool_name: missing")
	case !filepath.IsAbs(string(p.CWD)):
		err = fmt.Errorf("cwd: got %.60q, want an absolute path", string(p.CWD))
	case p.Input.Kind() != '{':
		err = errors.New("tool_input: want a JSON object")
	}
	if err != nil {
		return wire.Request{}, fmt.Errorf("the hook's payload is invalid: %w", err)
	}
	r := wire.Request{
		CallID: string(p.CallID), Input: json.RawMessage(p.Input),
		Context: wire.CallContext{Client: string(Word), Session: string(p.Session), CWD: string(p.CWD)},
	}
	r.Tool, r.Context.Server = p.tool()
	return r, nil
}

// Word is the client's name.
const Word settings.Client = "opencode"

// tool is the tool's name for the gate. A server's tools are SERVER_TOOL with the client; where
// several servers fit, or none, the name is one that no module knows.
func (p payload) tool() (string, *wire.Server) {
	name := string(p.Tool)
	var server, tool, text string
	found := 0
	for key, definition := range p.MCP {
		form := runner.InToolName(key)
		if rest, ok := strings.CutPrefix(name, form+"_"); ok && rest != "" {
			server, tool, text = form, rest, key+" "+string(definition)
			found++
		}
	}
	switch {
	case found == 1:
		return "mcp__" + server + "__" + tool, runner.Identify(server, nil, text)
	case found == 0 && name == patchTool && p.MCP != nil:
		return name, nil
	}
	return runner.Tool(string(Word), name, own), nil
}
