package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
)

// ErrBadRule marks a rule that may not be used as it is.
var ErrBadRule = errors.New("bad rule")

// Trial tries rules on their own examples before they are used.
type Trial struct {
	Catalog Catalog
	Targets Resolver
}

// Try gives the rule's tool its canonical spelling and refuses a rule that does
// not do what its match and not_match say.
func (t Trial) Try(ctx context.Context, r *engine.Rule) error {
	entry, err := t.canonical(r)
	if err != nil {
		return err
	}
	for _, example := range r.Match {
		if err := t.tryExample(ctx, entry, *r, example, true); err != nil {
			return fmt.Errorf("%w: match: %w", ErrBadRule, err)
		}
	}
	for _, example := range r.NotMatch {
		if err := t.tryExample(ctx, entry, *r, example, false); err != nil {
			return fmt.Errorf("%w: not_match: %w", ErrBadRule, err)
		}
	}
	return nil
}

// canonical gives the rule's tool its canonical spelling: people type names in
// any case. A glob, and a name nobody answers to, stay as they are.
func (t Trial) canonical(r *engine.Rule) (catalog.Entry, error) {
	switch {
	case r.Tool == "":
		return catalog.Entry{}, fmt.Errorf("%w: tool: missing", ErrBadRule)
	case strings.Trim(r.Tool, "*?") == "":
		return catalog.Entry{}, fmt.Errorf("%w: tool: %w", ErrBadRule, engine.ErrBareStar)
	case r.Behavior == engine.Passthrough:
		return catalog.Entry{}, fmt.Errorf("%w: behavior: want allow, deny or ask", ErrBadRule)
	}
	entry := t.Catalog.Lookup(r.Tool)
	for _, tool := range t.Catalog.Tools() {
		for _, name := range append([]string{tool.Name}, tool.Aliases...) {
			if strings.EqualFold(name, r.Tool) && !strings.ContainsAny(name, "*?") {
				r.Tool = tool.Name
				return t.Catalog.Lookup(tool.Name), nil
			}
		}
	}
	return entry, nil
}

// CheckExamples tries the rules of a configuration on their own examples and
// returns the first that fails, with its file, line and field.
func (t Trial) CheckExamples(ctx context.Context, c *config.Config) error {
	for _, e := range c.Examples() {
		r := e.Rule
		entry, err := t.canonical(&r)
		if err == nil {
			err = t.tryExample(ctx, entry, r, e.Input, e.Want)
		}
		if err != nil {
			return e.Errorf("%v", err)
		}
	}
	return nil
}

// tryExample tries one example. Relative patterns are anchored at the project's
// root, or at "/" for rules of no project.
func (t Trial) tryExample(ctx context.Context, entry catalog.Entry, r engine.Rule, example string, want bool) error {
	input, err := exampleInput(entry, example)
	if err != nil {
		return fmt.Errorf("%q: %w", example, err)
	}
	c := engine.Context{CWD: "/", WorkingDirectories: []string{"/"}}
	if r.Scope == engine.Project && r.ScopeKey != "" {
		c.CWD, c.WorkingDirectories, c.ProjectRoot = r.ScopeKey, []string{r.ScopeKey}, r.ScopeKey
	}
	got, err := t.matches(ctx, entry, r, &engine.Call{Tool: r.Tool, Input: input, Context: c})
	if err != nil {
		return fmt.Errorf("%s could not be tried on %q: %w", r, example, err)
	}
	if got != want {
		return fmt.Errorf("as %s rule, %s matches %q: got %t, want %t: change the rule or its example", r.Behavior, r, example, got, want)
	}
	return nil
}

func (t Trial) matches(ctx context.Context, entry catalog.Entry, r engine.Rule, call *engine.Call) (bool, error) {
	if r.WholeTool() {
		return true, nil
	}
	if entry.Err != nil {
		return false, entry.Err
	}
	if _, _, err := Touch(ctx, t.Catalog.Lookup, t.Targets, entry, call); err != nil {
		return false, err
	}
	text := engine.RuleText{Content: *r.Content}
	if r.Scope == engine.Project {
		text.Root = r.ScopeKey
	}
	hits, err := entry.Tool.MatchRule(ctx, call, r.Behavior, []engine.RuleText{text})
	return len(hits) > 0, err
}

// exampleInput makes an input of an example: a JSON object as it is, any other
// text as the value of the tool's first required member.
func exampleInput(entry catalog.Entry, example string) (json.RawMessage, error) {
	if strings.HasPrefix(strings.TrimSpace(example), "{") {
		return StrictObject([]byte(example))
	}
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(entry.InputSchema, &schema); err != nil || len(schema.Required) == 0 {
		return nil, errors.New("the tool names no required member: write the example as a JSON object")
	}
	return json.Marshal(map[string]string{schema.Required[0]: example})
}
