package ruletest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// ErrBadRule marks a rule that may not be used as it is.
var ErrBadRule = errors.New("bad rule")

// Tester tries rules on their own examples before they are used.
type Tester struct {
	Catalog describe.Catalog
	Targets describe.Resolver
	// Cache spares CheckExamples what passed before; nil remembers nothing.
	Cache *Cache
	// Unread hears, one at a time, of rules that CheckExamples would refuse for tools
	// that no loaded module has; with nil it refuses them as well. Such a rule, as it
	// stands, allows nothing, and denies or asks about every call of its tool.
	Unread func(error)
}

// Test gives the rule's tool its canonical spelling and refuses a rule that does
// not do what its match and not_match say.
func (t Tester) Test(ctx context.Context, r *engine.Rule) error {
	entry, err := t.Canonical(r)
	if err != nil || engine.IsEffectName(r.Tool) {
		return err
	}
	if err := t.understood(ctx, entry, *r); err != nil {
		return fmt.Errorf("%w: %w", ErrBadRule, err)
	}
	if err := t.examples(ctx, entry, *r); err != nil {
		return fmt.Errorf("%w: %w", ErrBadRule, err)
	}
	return nil
}

// examples tries all examples of a rule.
func (t Tester) examples(ctx context.Context, entry modules.Entry, r engine.Rule) error {
	for _, example := range r.Match {
		if err := t.tryExample(ctx, entry, r, example, true); err != nil {
			return fmt.Errorf("match: %w", err)
		}
	}
	for _, example := range r.NotMatch {
		if err := t.tryExample(ctx, entry, r, example, false); err != nil {
			return fmt.Errorf("not_match: %w", err)
		}
	}
	return nil
}

// Canonical gives the rule's tool its canonical spelling: people type names in
// any case. A glob, and a name nobody answers to, stay as they are.
func (t Tester) Canonical(r *engine.Rule) (modules.Entry, error) {
	return t.canonicalAmong(r, t.Catalog.Tools())
}

func (t Tester) canonicalAmong(r *engine.Rule, tools []wire.Tool) (modules.Entry, error) {
	switch {
	case r.Tool == "":
		return modules.Entry{}, fmt.Errorf("%w: tool: missing", ErrBadRule)
	case strings.Trim(r.Tool, "*?") == "":
		return modules.Entry{}, fmt.Errorf("%w: tool: %w", ErrBadRule, engine.ErrBareStar)
	case r.Behavior == engine.Passthrough:
		return modules.Entry{}, fmt.Errorf("%w: behavior: want allow, deny or ask", ErrBadRule)
	}
	if engine.IsEffectName(r.Tool) {
		if err := r.CheckEffect(); err != nil {
			return modules.Entry{}, fmt.Errorf("%w: %w", ErrBadRule, err)
		}
		r.Tool = strings.ToLower(r.Tool)
		return modules.Entry{}, nil
	}
	entry := t.Catalog.Lookup(r.Tool)
	for _, tool := range tools {
		for _, name := range tool.Names() {
			if strings.EqualFold(name, r.Tool) && !strings.ContainsAny(name, "*?") {
				r.Tool = tool.Name
				return t.Catalog.Lookup(tool.Name), nil
			}
		}
	}
	return entry, nil
}

// understood refuses a content that its tool cannot read. Such a rule allows
// nothing and denies everything (docs/abi.md), so it shows on the inputs of the
// tool's own rule examples; with fewer than two of them nothing can be told.
func (t Tester) understood(ctx context.Context, entry modules.Entry, r engine.Rule) error {
	if r.WholeTool() || entry.Err != nil || engine.IsEffectName(r.Tool) {
		return nil
	}
	inputs := t.exampleInputs(entry)
	if len(inputs) < 2 {
		return nil // nothing can be told
	}
	r.Scope, r.ScopeKey = engine.Global, ""
	for _, behavior := range []engine.Behavior{engine.Deny, engine.Allow} {
		r.Behavior = behavior
		for _, input := range inputs {
			call := &engine.Call{Tool: r.Tool, Input: input, Context: exampleContext()}
			if got, err := t.Matches(ctx, entry, r, call); err != nil || got != (behavior == engine.Deny) {
				return nil // it means something, or nothing can be told
			}
		}
	}
	return fmt.Errorf("%s: the tool cannot read this content, so it would allow nothing and deny everything: see callgate tools inspect %s", r, r.Tool)
}

// exampleDir is where a tool's rule examples happen. Source: docs/abi.md.
const exampleDir = "/project"

func exampleContext() engine.Context {
	return engine.Context{CWD: exampleDir, WorkingDirectories: []string{exampleDir}, Home: "/home/user"}
}

// hasTool reports whether a module has the tool of an entry, not only the one that
// answers for unknown names.
func hasTool(tools []wire.Tool, entry modules.Entry) bool {
	return slices.ContainsFunc(tools, func(i wire.Tool) bool { return engine.MatchName(i.Name, entry.Name) })
}

// exampleInputs are the inputs of the rule examples of the tool that answers for
// an entry: by its name, by a glob, or as the fallback.
func (t Tester) exampleInputs(entry modules.Entry) []json.RawMessage {
	var inputs []json.RawMessage
	tools := t.Catalog.Tools()
	own := hasTool(tools, entry)
	for _, info := range tools {
		if !engine.MatchName(info.Name, entry.Name) && (own || !info.Fallback) {
			continue
		}
		for _, e := range info.RuleExamples {
			if e.CWD == "" || e.CWD == exampleDir {
				inputs = append(inputs, e.Input)
			}
		}
	}
	return inputs
}

// tryExample tries one example. Relative patterns are anchored at the project's
// root, or at "/" for rules of no project.
func (t Tester) tryExample(ctx context.Context, entry modules.Entry, r engine.Rule, example string, want bool) error {
	input, err := exampleInput(entry, example)
	if err != nil {
		return fmt.Errorf("%q: %w", example, err)
	}
	c := engine.Context{CWD: "/", WorkingDirectories: []string{"/"}}
	if r.Scope == engine.Project && r.ScopeKey != "" {
		c.CWD, c.WorkingDirectories, c.ProjectRoot = r.ScopeKey, []string{r.ScopeKey}, r.ScopeKey
	}
	got, err := t.Matches(ctx, entry, r, &engine.Call{Tool: r.Tool, Input: input, Context: c})
	if err != nil {
		return fmt.Errorf("%s could not be tried on %q: %w", r, example, err)
	}
	if got != want {
		return fmt.Errorf("as %s rule, %s matches %q: got %t, want %t: change the rule or its example", r.Behavior, r, example, got, want)
	}
	return nil
}

// Matches reports whether a rule of the entry's tool matches a call.
func (t Tester) Matches(ctx context.Context, entry modules.Entry, r engine.Rule, call *engine.Call) (bool, error) {
	if r.WholeTool() {
		return true, nil
	}
	hits, err := t.matching(ctx, entry, []engine.Rule{r}, call)
	return len(hits) > 0, err
}

// matching are the indices of the rules, which have contents and one behavior, that the
// tool says match a call.
func (t Tester) matching(ctx context.Context, entry modules.Entry, rules []engine.Rule, call *engine.Call) ([]int, error) {
	if entry.Err != nil {
		return nil, entry.Err
	}
	if _, _, err := describe.Call(ctx, t.Catalog.Lookup, t.Targets, entry, call); err != nil {
		return nil, err
	}
	texts := make([]engine.RuleText, len(rules))
	for i, r := range rules {
		texts[i].Content = *r.Content
		if r.Scope == engine.Project {
			texts[i].Root = r.ScopeKey
		}
	}
	return entry.Tool.MatchRule(ctx, call, rules[0].Behavior, texts)
}

// exampleInput makes an input of an example: a JSON object as it is, any other
// text as the value of the tool's first required member.
func exampleInput(entry modules.Entry, example string) (json.RawMessage, error) {
	if strings.HasPrefix(strings.TrimSpace(example), "{") {
		return strictjson.Object([]byte(example))
	}
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(entry.InputSchema, &schema); err != nil || len(schema.Required) == 0 {
		return nil, errors.New("the tool names no required member: write the example as a JSON object")
	}
	return json.Marshal(map[string]string{schema.Required[0]: example})
}
