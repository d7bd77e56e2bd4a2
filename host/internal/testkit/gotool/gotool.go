// Package gotool gives tests tools in Go in the place of modules, and the parts of a gate with
// them. Tests only use it.
package gotool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Parts are those of a gate over a broker and a store, with time enough to look at targets
// on a busy machine. Settings are asked for at each call.
func Parts(tools describe.Snapshot, settings func() *config.Config, asks *ask.Broker, s *store.Store) assembly.Parts {
	return assembly.Parts{
		Catalog: func() describe.Snapshot { return tools }, Settings: settings,
		Targets: &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: time.Minute}}, Projects: &project.Loader{}, Asks: asks, Store: s,
	}
}

// Tool is a tool in Go; its calls are an object with a text. With nothing but Member it decides
// nothing, its rules match the text equal to their content, and it proposes a rule for the
// text. It implements [engine.Tool].
type Tool struct {
	// Member is the name of the text's member; without it a call has the empty text.
	Member string
	// Verdict is its verdict on a call; nil is none.
	Verdict func(text string) engine.Verdict
	// Reads reports read-only calls; nil is none.
	Reads func(text string) bool
	// Matches reports whether a rule matches; nil compares the content with the text.
	Matches func(content, text string, behavior engine.Behavior) bool
	// Suggests are its proposed rules; nil is the text's own.
	Suggests func(text string) []engine.SuggestedRule
}

// Text is the text of a call.
func (t *Tool) Text(c *engine.Call) (text string) {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(c.Input, &members)        // another shape has no text,
	_ = json.Unmarshal(members[t.Member], &text) // nor has a member of another kind
	return text
}

// CheckPermissions implements [engine.Tool].
func (t *Tool) CheckPermissions(_ context.Context, c *engine.Call) (engine.Verdict, error) {
	if t.Verdict == nil {
		return engine.Verdict{Behavior: engine.Passthrough}, nil
	}
	return t.Verdict(t.Text(c)), nil
}

// CheckReadOnly implements [engine.Tool].
func (t *Tool) CheckReadOnly(_ context.Context, c *engine.Call) (engine.ReadOnly, error) {
	return engine.ReadOnly{ReadOnly: t.Reads != nil && t.Reads(t.Text(c))}, nil
}

// MatchRule implements [engine.Tool]; it names the first matching rule.
func (t *Tool) MatchRule(_ context.Context, c *engine.Call, b engine.Behavior, rules []engine.RuleText) ([]int, error) {
	text := t.Text(c)
	for i, r := range rules {
		if t.Matches == nil && r.Content == text || t.Matches != nil && t.Matches(r.Content, text, b) {
			return []int{i}, nil
		}
	}
	return nil, nil
}

// GenerateSuggestions implements [engine.Tool].
func (t *Tool) GenerateSuggestions(_ context.Context, c *engine.Call) ([]engine.SuggestedRule, error) {
	text := t.Text(c)
	if t.Suggests == nil {
		return []engine.SuggestedRule{{Content: &text, Description: "this " + t.Member}}, nil
	}
	return t.Suggests(text), nil
}

// Tools is a catalog with one tool for every name. It implements [describe.Snapshot].
type Tools struct {
	Tool *Tool
	// Infos are its named tools.
	Infos []wire.Tool
}

// Lookup implements [describe.Snapshot].
func (c Tools) Lookup(name string) modules.Entry {
	return modules.Entry{
		Entry:       engine.Entry{Name: name, Tool: c.Tool, MayAllow: true, MayReadOnly: true},
		InputSchema: json.RawMessage(`{"required": ["` + c.Tool.Member + `"]}`), Digest: "d1",
	}
}

// Release implements [describe.Snapshot].
func (Tools) Release() {}

// Tools are its named tools.
func (c Tools) Tools() []wire.Tool { return c.Infos }
