package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
)

// toolDef is a tool with fixed answers. Its rules and suggestions are those of
// the catalogue's fallback.
type toolDef struct {
	Name string `json:"name"`
	// ReadOnly is a boolean or the word "error".
	ReadOnly jsontext.Value `json:"read_only"`
	// Check is a behavior's word, the word "error", or {behavior,
	// bypass_immune, message, reason}.
	Check jsontext.Value `json:"check"`
}

// fixedTool answers as a toolDef says.
type fixedTool struct {
	engine.Tool
	readOnly    engine.ReadOnly
	readOnlyErr error
	check       engine.Verdict
	checkErr    error
}

// errFixed is the failure requested by a definition.
var errFixed = errors.New("the tool's definition says error")

// CheckReadOnly implements engine.Tool.
func (t *fixedTool) CheckReadOnly(context.Context, *engine.Call) (engine.ReadOnly, error) {
	return t.readOnly, t.readOnlyErr
}

// CheckPermissions implements engine.Tool.
func (t *fixedTool) CheckPermissions(context.Context, *engine.Call) (engine.Verdict, error) {
	return t.check, t.checkErr
}

// lookup is the catalogue with the request's own tools in front.
func (e *Evaluator) lookup(defs []toolDef) (func(string) modules.Entry, error) {
	own := make(map[string]modules.Entry, len(defs))
	for i, d := range defs {
		if d.Name == "" {
			return nil, fmt.Errorf("tool_defs[%d].name: missing", i)
		}
		tool, err := d.tool()
		if err != nil {
			return nil, fmt.Errorf("tool_defs[%d]%w", i, err)
		}
		entry := e.Lookup(d.Name)
		if tool.Tool = entry.Tool; tool.Tool == nil {
			return nil, fmt.Errorf("tool_defs[%d]: no tool answers for unknown names: %w", i, entry.Err)
		}
		entry.Name, entry.Aliases, entry.Own, entry.Err = d.Name, nil, false, nil
		entry.Entry.Tool, entry.MayAllow, entry.MayReadOnly = tool, true, true
		own[d.Name] = entry
	}
	return func(name string) modules.Entry {
		if entry, ok := own[name]; ok {
			return entry
		}
		return e.Lookup(name)
	}, nil
}

func (d toolDef) tool() (*fixedTool, error) {
	t := &fixedTool{check: engine.Verdict{Behavior: engine.Passthrough}}
	var word string
	switch {
	case d.ReadOnly == nil:
	case json.Unmarshal(d.ReadOnly, &word) == nil && word == "error":
		t.readOnlyErr = errFixed
	case json.Unmarshal(d.ReadOnly, &t.readOnly.ReadOnly) != nil:
		return nil, errors.New(`.read_only: want true, false or "error"`)
	}
	switch {
	case d.Check == nil:
	case json.Unmarshal(d.Check, &word) == nil:
		if word == "error" {
			t.checkErr = errFixed
			return t, nil
		}
		var err error
		if t.check.Behavior, err = engine.ParseBehavior(word); err != nil {
			return nil, fmt.Errorf(".check: %w", err)
		}
	case json.Unmarshal(d.Check, &t.check, json.RejectUnknownMembers(true)) != nil:
		return nil, errors.New(`.check: want a behavior, "error" or {behavior, bypass_immune, message, reason}`)
	}
	return t, nil
}
