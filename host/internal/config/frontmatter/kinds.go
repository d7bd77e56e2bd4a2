package frontmatter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/engine"
)

// chatKeys are a chat's keys about permissions.
var chatKeys = []string{"permission_mode", "permissions_mode", "permissions_allow", "permissions_ask", "permissions_deny"}

// chat reads a vibing.nvim chat. It ignores keys unrelated to permissions, and refuses one with a
// misleading name.
func chat(f fields) (Result, error) {
	var r Result
	var err error
	for key, v := range f {
		if strings.HasPrefix(strings.ToLower(key), "permission") && !slices.Contains(chatKeys, key) {
			return r, fmt.Errorf("line %d: unknown key %s: want one of %s", v.line, key, strings.Join(chatKeys, ", "))
		}
	}
	if r.Mode, err = f.mode("permission_mode", "permissions_mode"); err != nil {
		return r, err
	}
	if r.Mode == "" {
		r.Mode = engine.DefaultMode.String()
	}
	for _, l := range []struct {
		key string
		to  *[]string
	}{{"permissions_allow", &r.Allow}, {"permissions_ask", &r.Ask}, {"permissions_deny", &r.Deny}} {
		if *l.to, err = f.rules(l.key); err != nil {
			return r, err
		}
	}
	r.Resumed = f.resumed()
	return r, nil
}

// resumed reports whether a chat has a session: any value but none. An odd value counts as one,
// because a resumed session is the stricter case.
func (f fields) resumed() bool {
	switch v := f["session_id"].value.(type) {
	case nil, *ast.NullNode:
		return false
	case *ast.StringNode:
		return v.Value != ""
	}
	return true
}

func skill(f fields) (Result, error) {
	var r Result
	f, err := f.asWritten("name", "allowed-tools", "disable-model-invocation")
	if err != nil {
		return r, err
	}
	if r.Name, err = f.name(); err != nil {
		return r, err
	}
	if r.Allowed, err = f.tools("allowed-tools"); err != nil {
		return r, err
	}
	r.Hidden, err = f.flag("disable-model-invocation")
	return r, err
}

// agent reads a subagent: permissions is its mode.
func agent(f fields) (Result, error) {
	var r Result
	var err error
	if r.Name, err = f.name(); err != nil {
		return r, err
	}
	if r.Mode, err = f.mode("permissions"); err != nil {
		return r, err
	}
	r.Allowed, err = f.tools("tools")
	return r, err
}

// asWritten finds the keys of such a file in any case. A similar but unknown restriction is
// refused: "allowed_tools" would leave a skill every tool.
func (f fields) asWritten(keys ...string) (fields, error) {
	out := fields{}
	for _, key := range slices.Sorted(maps.Keys(f)) {
		name := strings.ToLower(key)
		switch _, twice := out[name]; {
		case slices.Contains(keys, name) && twice:
			return nil, fmt.Errorf("line %d: %s is there twice, in another case", f[key].line, name)
		case slices.Contains(keys, name):
			out[name] = f[key]
		case restricts(name):
			return nil, fmt.Errorf("line %d: unknown key %s: want one of %s", f[key].line, key, strings.Join(keys, ", "))
		}
	}
	return out, nil
}

// restricts reports whether a key is about tools or permissions by its name.
func restricts(key string) bool {
	return strings.HasSuffix(key, "tools") || strings.HasPrefix(key, "permission")
}

func (f fields) name() (string, error) {
	name, err := f.text("name")
	if err == nil && strings.TrimSpace(name) == "" {
		err = errors.New("name: missing")
	}
	return name, err
}

// tools reads a list of tools, or a text with blanks or commas between them, as clients write it.
// Parentheses group their content.
func (f fields) tools(key string) ([]string, error) {
	list, err := f.list(key)
	if text, ok := f[key].value.(*ast.StringNode); ok {
		list, err = splitTools(text.Value), nil
	}
	if err != nil {
		return nil, err
	}
	for i, text := range list {
		if _, err := engine.ParseRule(text); err != nil {
			return nil, fmt.Errorf("line %d: %s[%d]: %w", f[key].line, key, i, err)
		}
	}
	return list, nil
}

func splitTools(text string) []string {
	depth := 0
	return append([]string{}, strings.FieldsFunc(text, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth <= 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n')
	})...)
}
