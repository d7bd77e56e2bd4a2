package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// Source is the engine.Rule.Source of every rule of the configuration file.
const Source = "config"

// Rule is one rule as it stands in the file: either the text form after the
// behavior (allow: "Bash(npm run:*)"), or tool, content and behavior one by one.
type Rule struct {
	// Allow is an allow rule in text form, Tool or Tool(content).
	Allow string `yaml:"allow"`
	// Ask is an ask rule in text form.
	Ask string `yaml:"ask"`
	// Deny is a deny rule in text form.
	Deny string `yaml:"deny"`
	// Tool is a tool's name or alias, or a glob over names (mcp__github__*).
	Tool string `yaml:"tool"`
	// Content is the tool's language; left out it means the whole tool.
	Content *string `yaml:"content"`
	// Behavior is allow, ask or deny, beside tool.
	Behavior *engine.Behavior `yaml:"behavior"`
	// Reason is shown to the approver and to the denied agent.
	Reason string `yaml:"reason"`
	// ExpiresAt ends the rule: a date (2027-01-31, its end in UTC) or an RFC 3339 time.
	ExpiresAt Time `yaml:"expires_at"`
	// Match are inputs the rule must match: the command, path or pattern as
	// text, or the whole input as a mapping. Checked at load.
	Match []json.RawMessage `yaml:"match"`
	// NotMatch are inputs the rule must not match. Checked at load.
	NotMatch []json.RawMessage `yaml:"not_match"`

	rule   engine.Rule
	field  string
	places strictyaml.Places
}

// Rule returns the rule for the engine. Its ID is its place, "FILE:LINE", its Source "config", its
// Scope global or, in an agent's block, the agent's.
func (r Rule) Rule() engine.Rule { return r.rule }

// Position tells where the rule stands.
func (r Rule) Position() Position { return r.places.Of(r.field) }

// AllRules returns the rules of the file: the global ones, then each agent's by
// name.
func (c *Config) AllRules() []engine.Rule {
	var out []engine.Rule
	c.eachRule(func(r *Rule) { out = append(out, r.rule) })
	return out
}

// Example is an input the rule must match, or must not.
type Example struct {
	Rule  engine.Rule
	Input string
	// Want tells whether the rule must match.
	Want bool

	// Position is the example's place, Field the keys leading there.
	Position Position
	Field    string

	file string
}

// Errorf returns an error with the example's file, line and field.
func (e Example) Errorf(format string, args ...any) error {
	return &strictyaml.Error{File: e.file, Position: e.Position, Field: e.Field, Msg: fmt.Sprintf(format, args...)}
}

// Written lists all rules with their places, in the file's order; Input and
// Want say nothing.
func (c *Config) Written() []Example {
	var out []Example
	c.eachRule(func(r *Rule) {
		out = append(out, Example{Rule: r.rule, Position: r.Position(), Field: r.field, file: c.File})
	})
	return out
}

// Examples lists the match and not_match examples of all rules, in the file's
// order of rules.
func (c *Config) Examples() []Example {
	var out []Example
	c.eachRule(func(r *Rule) {
		add := func(key string, inputs []string, want bool) {
			for i, input := range inputs {
				field := fmt.Sprintf("%s.%s[%d]", r.field, key, i)
				out = append(out, Example{r.rule, input, want, r.places.Of(field), field, c.File})
			}
		}
		add("match", r.rule.Match, true)
		add("not_match", r.rule.NotMatch, false)
	})
	return out
}

// resolve checks the shape of a rule and fills the engine's form of it.
func (r *Rule) resolve() error {
	parsed, err := r.parse()
	if err != nil {
		return err
	}
	parsed.Source, parsed.Reason, parsed.ExpiresAt = Source, r.Reason, r.ExpiresAt.Time
	if parsed.Match, err = inputs(r.Match); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	if parsed.NotMatch, err = inputs(r.NotMatch); err != nil {
		return fmt.Errorf("not_match: %w", err)
	}
	r.rule = parsed
	return checkName(parsed.Tool)
}

func (r *Rule) parse() (engine.Rule, error) {
	texts := map[engine.Behavior]string{engine.Allow: r.Allow, engine.Ask: r.Ask, engine.Deny: r.Deny}
	behavior, text, given := engine.Deny, "", 0
	for b, t := range texts {
		if t != "" {
			behavior, text = b, t
			given++
		}
	}
	fields := r.Tool != "" || r.Content != nil || r.Behavior != nil
	switch {
	case given > 1:
		return engine.Rule{}, errors.New("only one of allow, ask and deny is possible; write one rule for each")
	case given == 1 && fields:
		return engine.Rule{}, fmt.Errorf("%s combined with tool, content or behavior; use only one of the two forms", behavior)
	case given == 1:
		parsed, err := engine.ParseRule(text)
		parsed.Behavior = behavior
		return parsed, cmp.Or(err, parsed.CheckEffect())
	}
	return r.fromFields()
}

func (r *Rule) fromFields() (engine.Rule, error) {
	switch {
	case r.Tool == "" || r.Behavior == nil:
		return engine.Rule{}, errors.New(`empty rule; write allow, ask or deny with a text such as "Bash(npm run:*)", or both tool and behavior`)
	case *r.Behavior == engine.Passthrough:
		return engine.Rule{}, errors.New("behavior passthrough is only for tool modules; want allow, ask or deny")
	case r.Content != nil && *r.Content == "":
		return engine.Rule{}, errors.New("content is empty; leave it out to match the whole tool")
	}
	name, err := engine.ParseRule(r.Tool)
	if err != nil || name.Tool != r.Tool {
		return engine.Rule{}, fmt.Errorf("tool: %q is not a tool name; put the part in parentheses into content", r.Tool)
	}
	rule := engine.Rule{Tool: r.Tool, Content: r.Content, Behavior: *r.Behavior}
	if rule.WholeTool() {
		rule.Content = nil
	}
	return rule, rule.CheckEffect()
}

// inputs turns examples into the text of a rule's examples: a text as it is, a mapping as JSON.
func inputs(raw []json.RawMessage) ([]string, error) {
	var out []string
	for i, r := range raw {
		switch {
		case bytes.HasPrefix(r, []byte(`"`)):
			var s string
			if err := json.Unmarshal(r, &s); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			out = append(out, s)
		case bytes.HasPrefix(r, []byte(`{`)):
			out = append(out, string(r))
		default:
			return nil, fmt.Errorf("[%d]: want the input as text or as a mapping, got %s", i, r)
		}
	}
	return out, nil
}

// checkName refuses an invalid tool name, and a glob without a literal part, because it would mean
// every tool.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("empty tool name")
	case strings.Trim(name, "*?") == "":
		return engine.ErrBareStar
	case !engine.IsToolName(name):
		return fmt.Errorf("%q is not a tool name: no blanks, parentheses, braces, brackets or commas; * and ? are wildcards", name)
	}
	return nil
}
