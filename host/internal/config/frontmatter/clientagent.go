package frontmatter

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/engine"
)

// ClientAgent reads the head of a sub-agent's file as Claude Code has it: name,
// tools, disallowedTools and permissionMode, and permissions, ExAthena's
// mode. The stricter of both modes is Mode; the client's mode auto says nothing.
// Other keys are the client's. The errors name their line.
func ClientAgent(text string) (Result, error) {
	r, err := clientAgent(text)
	if err != nil {
		return Result{}, fmt.Errorf("agent front matter: %w", err)
	}
	return r, nil
}

func clientAgent(text string) (Result, error) {
	head, err := split(text)
	if err != nil {
		return Result{}, err
	}
	f, err := readFields(head)
	if err != nil {
		return Result{}, err
	}
	for _, key := range []string{"tools", "disallowedTools", "permissionMode", "permissions"} {
		if _, null := f[key].value.(*ast.NullNode); null { // for the client, a key without a value is none
			delete(f, key)
		}
	}
	if all, ok := f["tools"].value.(*ast.StringNode); ok && all.Value == "*" {
		delete(f, "tools")
	}
	r, err := agent(f)
	if err != nil {
		return r, err
	}
	if r.Disallowed, err = f.tools("disallowedTools"); err != nil {
		return r, err
	}
	if own, ok := f["permissionMode"].value.(*ast.StringNode); ok && own.Value == "auto" {
		return r, nil
	}
	mode, err := f.mode("permissionMode")
	if err != nil {
		return r, err
	}
	r.Mode = stricterMode(r.Mode, mode)
	return r, nil
}

// stricterMode is the stricter of two modes; an empty one does not count.
func stricterMode(a, b string) string {
	one, errOne := engine.ParseMode(a)
	two, errTwo := engine.ParseMode(b)
	switch {
	case errOne != nil:
		return b
	case errTwo != nil:
		return a
	}
	return engine.Stricter(one, two).String()
}
