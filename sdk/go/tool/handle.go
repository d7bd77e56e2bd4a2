package tool

import (
	"errors"
	"fmt"
	"strings"
)

// The verbs, by the names of the exports (docs/abi.md).
const (
	verbModule   = "describe"
	verbCheck    = "check_permissions"
	verbReadOnly = "check_read_only"
	verbMatch    = "match_rule"
	verbSuggest  = "generate_suggestions"
	verbDescribe = "describe_call"
)

const abiVersion = 1

// Handle answers one verb of the module: verb is an export's name, input and output follow the ABI
// document. The exports call it, and so do tests. An error, also one made of a panic in the
// author's code, is for the host a failed verb; it never lets a call run. Handle keeps no state and
// is safe for concurrent use when the author's functions are.
func Handle(m Module, verb string, input []byte) (output []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			output, err = nil, fmt.Errorf("%s: panic: %v", verb, p)
		}
	}()
	answer, err := m.answer(verb, input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	output, err = encode(answer)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the answer: %w", verb, err)
	}
	return output, nil
}

func (m Module) answer(verb string, input []byte) (any, error) {
	if verb == verbModule {
		return m.describe()
	}
	env, err := decodeEnvelope(input)
	if err != nil {
		return nil, err
	}
	t, err := m.tool(env.Tool)
	if err != nil {
		return nil, err
	}
	return t.handle(verb, env)
}

// moduleDescription is the answer of describe.
type moduleDescription struct {
	ABI     int               `json:"abi"`
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Summary string            `json:"summary"`
	Tools   []toolDescription `json:"tools"`
}

func (m Module) describe() (moduleDescription, error) {
	d := moduleDescription{ABI: abiVersion, Name: m.Name, Version: m.Version, Summary: m.Summary}
	if m.Name == "" || m.Version == "" || len(m.Tools) == 0 {
		return d, errors.New("a module needs a name, a version and at least one tool")
	}
	owner := map[string]string{}
	for _, t := range m.Tools {
		td, err := t.describe()
		if err != nil {
			return d, err
		}
		for _, name := range t.names() {
			if other, taken := owner[name]; taken {
				return d, fmt.Errorf("tools %s and %s both claim the name %q", other, td.Name, name)
			}
			owner[name] = td.Name
		}
		d.Tools = append(d.Tools, td)
	}
	return d, nil
}

// tool finds the tool for a name: an exact name before a glob, of globs the longest, and then the
// fallback.
func (m Module) tool(name string) (Tool, error) {
	var found Tool
	longest := -1
	for _, t := range m.Tools {
		for _, own := range t.names() {
			if own == name {
				return t, nil
			}
			if len(own) > longest && strings.Contains(own, "*") && Wildcard(own, name) {
				found, longest = t, len(own)
			}
		}
	}
	switch {
	case found != nil:
		return found, nil
	case m.Fallback == "" || m.Fallback == name:
		return nil, fmt.Errorf("module %s has no tool %q", m.Name, name)
	}
	return m.tool(m.Fallback)
}

// Wildcard reports whether text matches pattern, with "*" for any run of bytes and everything else
// literal. It takes no longer than both are long together, times the stars.
func Wildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, last)
}
