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
	"github.com/callgate/callgate/host/store"
)

// ErrBadRule marks a rule that may not be stored as it is.
var ErrBadRule = errors.New("bad rule")

// AddRule stores a rule in the name of by, after trying it on its own examples,
// and returns it with notes about what it will not do.
func (g *Gate) AddRule(ctx context.Context, by string, r engine.Rule) (engine.Rule, []string, error) {
	entry, err := g.canonical(&r)
	if err != nil {
		return r, nil, err
	}
	if err := g.tryExamples(ctx, entry, r); err != nil {
		return r, nil, err
	}
	r.CreatedBy = by
	stored, err := g.c.Store.AddRule(ctx, r)
	if err != nil {
		return r, nil, err
	}
	notes, err := g.shadows(ctx, stored)
	return stored, notes, err
}

// RemoveRule deletes a stored rule in the name of by. The configuration's rules
// are changed in its file.
func (g *Gate) RemoveRule(ctx context.Context, by, id string) error {
	return g.c.Store.RemoveRule(ctx, id, by)
}

// Rules lists the stored rules that f chooses.
func (g *Gate) Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error) {
	return g.c.Store.Rules(ctx, f)
}

// TestRule reports whether a rule would match a call, without storing either.
func (g *Gate) TestRule(ctx context.Context, r engine.Rule, c *engine.Call) (bool, error) {
	entry, err := g.canonical(&r)
	if err != nil {
		return false, err
	}
	return g.matches(ctx, entry, r, c)
}

// canonical gives the rule's tool its canonical spelling: people type names in
// any case. A glob, and a name nobody answers to, stay as they are.
func (g *Gate) canonical(r *engine.Rule) (catalog.Entry, error) {
	switch {
	case r.Tool == "":
		return catalog.Entry{}, fmt.Errorf("%w: tool: missing", ErrBadRule)
	case strings.Trim(r.Tool, "*?") == "":
		return catalog.Entry{}, fmt.Errorf("%w: tool: %w", ErrBadRule, engine.ErrBareStar)
	case r.Behavior == engine.Passthrough:
		return catalog.Entry{}, fmt.Errorf("%w: behavior: want allow, deny or ask", ErrBadRule)
	}
	entry := g.c.Catalog.Lookup(r.Tool)
	for _, tool := range g.c.Catalog.Tools() {
		for _, name := range append([]string{tool.Name}, tool.Aliases...) {
			if strings.EqualFold(name, r.Tool) && !strings.ContainsAny(name, "*?") {
				r.Tool = tool.Name
				return g.c.Catalog.Lookup(tool.Name), nil
			}
		}
	}
	return entry, nil
}

// tryExamples refuses a rule that does not do what its match and not_match say.
func (g *Gate) tryExamples(ctx context.Context, entry catalog.Entry, r engine.Rule) error {
	for _, example := range r.Match {
		if err := g.tryExample(ctx, entry, r, example, true); err != nil {
			return fmt.Errorf("%w: match: %w", ErrBadRule, err)
		}
	}
	for _, example := range r.NotMatch {
		if err := g.tryExample(ctx, entry, r, example, false); err != nil {
			return fmt.Errorf("%w: not_match: %w", ErrBadRule, err)
		}
	}
	return nil
}

// CheckExamples tries the rules of a configuration on their own examples and
// returns the first that fails, with its file, line and field.
func (g *Gate) CheckExamples(ctx context.Context, c *config.Config) error {
	for _, e := range c.Examples() {
		r := e.Rule
		entry, err := g.canonical(&r)
		if err == nil {
			err = g.tryExample(ctx, entry, r, e.Input, e.Want)
		}
		if err != nil {
			return e.Errorf("%v", err)
		}
	}
	return nil
}

// tryExample tries one example. Relative patterns are anchored at the project's
// root, or at "/" for rules of no project.
func (g *Gate) tryExample(ctx context.Context, entry catalog.Entry, r engine.Rule, example string, want bool) error {
	input, err := exampleInput(entry, example)
	if err != nil {
		return fmt.Errorf("%q: %w", example, err)
	}
	c := engine.Context{CWD: "/", WorkingDirectories: []string{"/"}}
	if r.Scope == engine.Project && r.ScopeKey != "" {
		c.CWD, c.WorkingDirectories, c.ProjectRoot = r.ScopeKey, []string{r.ScopeKey}, r.ScopeKey
	}
	got, err := g.matches(ctx, entry, r, &engine.Call{Tool: r.Tool, Input: input, Context: c})
	if err != nil {
		return fmt.Errorf("%s could not be tried on %q: %w", r, example, err)
	}
	if got != want {
		return fmt.Errorf("as %s rule, %s matches %q: got %t, want %t: change the rule or its example", r.Behavior, r, example, got, want)
	}
	return nil
}

func (g *Gate) matches(ctx context.Context, entry catalog.Entry, r engine.Rule, call *engine.Call) (bool, error) {
	if r.WholeTool() {
		return true, nil
	}
	if entry.Err != nil {
		return false, entry.Err
	}
	if _, _, err := Touch(ctx, g.c.Catalog.Lookup, g.c.Targets, entry, call); err != nil {
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

// shadows tells of ask and deny rules that hold before a new allow rule.
// Source: design section 13, "ask or allow first".
func (g *Gate) shadows(ctx context.Context, r engine.Rule) ([]string, error) {
	if r.Behavior != engine.Allow {
		return nil, nil
	}
	stored, err := g.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return nil, err
	}
	agent := ""
	if r.Scope == engine.Agent {
		agent = r.ScopeKey
	}
	var notes []string
	for _, other := range append(g.live(g.c.Settings().Agent(agent).Rules), stored...) {
		if other.Behavior == engine.Allow || !engine.MatchName(other.Tool, r.Tool) {
			continue
		}
		if other.WholeTool() || other.String() == r.String() {
			notes = append(notes, fmt.Sprintf("the %s rule %s comes first: what it matches is not allowed by %s", other.Behavior, other, r))
		}
	}
	return notes, nil
}
