// Package frontmatter reads the permissions in the YAML head of a chat, a skill or an agent file,
// strictly: an unknown construct is an error with its line, never a silently shorter list. Sources:
// docs/seeds.md, "Frontmatter Format" and "Skill-scoped permissions".
package frontmatter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/callgate/callgate/engine"
)

// Kind is the kind of file.
type Kind string

// The kinds.
const (
	Chat  Kind = "chat"
	Skill Kind = "skill"
	Agent Kind = "agent"
)

// maxHead bounds the YAML of a head, in bytes.
const maxHead = 64 << 10

// Result are the permissions in a head.
type Result struct {
	// Name is a skill's or an agent's.
	Name string
	// Mode is the mode as the file spells it; a chat without one has "default",
	// an agent without one "" (its parent's).
	Mode string
	// Allow, Ask and Deny are a chat's rules in text form, never nil for a chat.
	Allow, Ask, Deny []string
	// Allowed are the tools of a skill or an agent; nil when the file does not
	// restrict them, empty when it allows none.
	Allowed []string
	// Disallowed are the tools denied to a client's agent.
	Disallowed []string
	// Resumed reports whether a chat goes on with an earlier session of the agent.
	Resumed bool
	// Hidden reports whether a skill is hidden from the model.
	Hidden bool
}

// Parse reads the head of a file's text. A chat without a head has the default
// mode and empty lists; a skill or an agent must have one, with a name.
func Parse(kind Kind, text string) (Result, error) {
	head, err := split(text)
	if err != nil {
		return Result{}, fmt.Errorf("%s front matter: %w", kind, err)
	}
	f, err := readFields(head)
	if err != nil {
		return Result{}, fmt.Errorf("%s front matter: %w", kind, err)
	}
	var r Result
	switch kind {
	case Chat:
		r, err = chat(f)
	case Skill:
		r, err = skill(f)
	case Agent:
		if f, err = f.asWritten("name", "permissions", "tools"); err == nil {
			r, err = agent(f)
		}
	default:
		return Result{}, fmt.Errorf("unknown kind %q: want chat, skill or agent", kind)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s front matter: %w", kind, err)
	}
	return r, nil
}

// split cuts the YAML out of a text: between a first line "---" and the next one. It is empty when
// the text begins otherwise. Line one of the result is the fence, so line numbers are those of the
// file.
func split(text string) (string, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return "", late(lines)
	}
	size := 0
	for i, line := range lines[1:] {
		if size += len(line) + 1; size > maxHead {
			return "", fmt.Errorf("more than %d bytes", maxHead)
		}
		if strings.TrimRight(line, " \t") == "---" {
			return "\n" + strings.Join(lines[1:i+1], "\n"), nil
		}
	}
	return "", errors.New(`line 1: the "---" is never closed by another "---"`)
}

// late refuses a head after blanks: other readers accept it, and its lists must not be ignored.
func late(lines []string) error {
	for i, line := range lines {
		switch strings.TrimFunc(line, func(r rune) bool { return r == ' ' || unseen(r) }) {
		case "":
			continue
		case "---":
			return fmt.Errorf(`line %d: the "---" has to be the first line, with nothing before it`, i+1)
		}
		return nil
	}
	return nil
}

// field is one key of a head.
type field struct {
	value ast.Node
	line  int
}

type fields map[string]field

// readFields reads the top-level mapping. Anchors, aliases, tags and merge keys are refused in
// every value read later.
func readFields(head string) (fields, error) {
	if strings.TrimSpace(head) == "" {
		return fields{}, nil
	}
	file, err := parser.ParseBytes([]byte(head), 0)
	if err != nil {
		return nil, fmt.Errorf("not YAML: %w", err)
	}
	if len(file.Docs) != 1 {
		return nil, fmt.Errorf("%d YAML documents: want one", len(file.Docs))
	}
	body := file.Docs[0].Body
	if body == nil {
		return fields{}, nil // comments only
	}
	mapping, ok := body.(ast.MapNode)
	if !ok {
		return nil, fmt.Errorf("line %d: a %s: want keys and values", line(body), body.Type())
	}
	out := fields{}
	for it := mapping.MapRange(); it.Next(); {
		key, ok := it.Key().(*ast.StringNode)
		if !ok {
			return nil, fmt.Errorf("line %d: the key %s is not a plain text", line(it.Key()), it.Key())
		}
		if err := plainKey(key.Value); err != nil {
			return nil, fmt.Errorf("line %d: %w", line(key), err)
		}
		if old, twice := out[key.Value]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice, first in line %d", line(key), key.Value, old.line)
		}
		out[key.Value] = field{value: it.Value(), line: line(key)}
	}
	return out, nil
}

func line(n ast.Node) int { return n.GetToken().Position.Line }

// text reads a text; absent and null give "".
func (f fields) text(key string) (string, error) {
	switch v := f[key].value.(type) {
	case nil, *ast.NullNode:
		return "", nil
	case *ast.StringNode:
		return v.Value, nil
	default:
		return "", fmt.Errorf("line %d: %s: a %s: want a text, put it in quotes", f[key].line, key, v.Type())
	}
}

// flag reads true or false; absent is false.
func (f fields) flag(key string) (bool, error) {
	switch v := f[key].value.(type) {
	case nil:
		return false, nil
	case *ast.BoolNode:
		return v.Value, nil
	}
	return false, fmt.Errorf("line %d: %s: want true or false", f[key].line, key)
}

// list reads a list of texts; nil when the key is absent.
func (f fields) list(key string) ([]string, error) {
	v, there := f[key]
	if !there {
		return nil, nil
	}
	seq, ok := v.value.(*ast.SequenceNode)
	if !ok {
		return nil, fmt.Errorf(`line %d: %s: a %s: want a list, one "- Tool" a line, or [] for none`, v.line, key, v.value.Type())
	}
	out := make([]string, len(seq.Values))
	for i, item := range seq.Values {
		s, ok := item.(*ast.StringNode)
		if !ok {
			return nil, fmt.Errorf("line %d: %s[%d]: a %s: want a text, put it in quotes", line(item), key, i, item.Type())
		}
		out[i] = s.Value
	}
	return out, nil
}

// rules reads a list of rules in text form. A key without a value is an empty list: the plugin
// writes it so.
func (f fields) rules(key string) ([]string, error) {
	if _, null := f[key].value.(*ast.NullNode); null {
		return []string{}, nil
	}
	list, err := f.list(key)
	if err != nil {
		return nil, err
	}
	for i, text := range list {
		if _, err := engine.ParseRule(text); err != nil {
			return nil, fmt.Errorf("line %d: %s[%d]: %w", f[key].line, key, i, err)
		}
	}
	return append([]string{}, list...), nil
}

// mode reads a mode under one of several equivalent keys.
func (f fields) mode(keys ...string) (string, error) {
	found, under := "", ""
	for _, key := range keys {
		text, err := f.text(key)
		if err != nil {
			return "", err
		}
		if text == "" {
			continue
		}
		if _, err := engine.ParseMode(text); err != nil {
			return "", fmt.Errorf("line %d: %s: %w", f[key].line, key, err)
		}
		if found != "" && found != text {
			return "", fmt.Errorf("line %d: %s is %s, but %s is %s: keep one", f[key].line, key, text, under, found)
		}
		found, under = text, key
	}
	return found, nil
}
