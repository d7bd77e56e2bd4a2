package cases

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Update fills in the cases of a file without expectations: it writes the module's present
// answers below each, and leaves every other byte as it is. filled are the lines written, by
// the name of the case in the file's order. The author judges whether the answers are right; a
// case with a failing verb stays as it is, and its failure is reported.
func Update(ctx context.Context, file string, data []byte, m *workbench.Module) (text []byte, filled []Filled, err error) {
	all, err := Parse(file, data)
	if err != nil {
		return nil, nil, err
	}
	lines := strings.SplitAfter(string(data), "\n")
	for i := len(all) - 1; i >= 0; i-- { // from the end, so lines keep their numbers
		c := all[i]
		if !c.Silent() {
			continue
		}
		next := len(lines) + 1
		if i+1 < len(all) {
			next = all[i+1].Line
		}
		answers, err := c.present(ctx, m)
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %s: %w", file, c.Line, c.Name, err)
		}
		if answers.Failed == "" {
			if lines, err = insert(lines, c.Line, next, answers.Lines); err != nil {
				return nil, nil, fmt.Errorf("%s:%d: %s: %w", file, c.Line, c.Name, err)
			}
		}
		filled = append(filled, answers)
	}
	slices.Reverse(filled)
	text = []byte(strings.Join(lines, ""))
	return text, filled, checkUpdate(file, text, all, filled)
}

// UpdateFile is Update in place.
func UpdateFile(ctx context.Context, file string, m *workbench.Module) ([]Filled, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	before, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text, filled, err := Update(ctx, file, before, m)
	if err != nil || len(filled) == 0 {
		return nil, err
	}
	return filled, atomicfile.Write(file, text, func(f *os.File) error { return f.Chmod(info.Mode().Perm()) })
}

// Filled are the lines written below one case, or why there are none: the module's
// untrusted words.
type Filled struct {
	Name   string   `json:"name"`
	Lines  []string `json:"lines,omitempty"`
	Failed string   `json:"failed,omitempty"`
}

// checkUpdate checks that only answers were added to the file.
func checkUpdate(file string, text []byte, before []Case, filled []Filled) error {
	after, err := Parse(file, text)
	if err != nil {
		return fmt.Errorf("nothing was written, what came out is not readable: %w", err)
	}
	same := slices.EqualFunc(before, after, func(a, b Case) bool {
		failed := slices.ContainsFunc(filled, func(f Filled) bool { return f.Name == b.Name && f.Failed != "" })
		return a.Name == b.Name && bytes.Equal(a.Call.Input, b.Call.Input) && bytes.Equal(a.Call.Raw, b.Call.Raw) && b.Silent() == failed
	})
	if !same {
		return fmt.Errorf("%s: nothing was written, other cases would have changed: write each case as a list item of its own lines", file)
	}
	return nil
}

var errFlow = errors.New("the answers cannot be written below it: write the case on lines of its own, as in\n  - name: ...\n    input: {...}")

// insert puts lines at the end of the case on the lines from first to before next, counted from
// 1.
func insert(lines []string, first, next int, added []string) ([]string, error) {
	line := lines[first-1]
	indent := len(line) - len(strings.TrimLeft(line, "- "))
	if !strings.HasPrefix(strings.TrimLeft(line, " "), "- ") || strings.HasPrefix(line[indent:], "{") {
		return nil, errFlow
	}
	at := min(next-1, len(lines))
	for at > first && !belongs(lines[at-1], indent) {
		at--
	}
	block := make([]string, len(added))
	for i, l := range added {
		block[i] = strings.Repeat(" ", indent) + l + "\n"
	}
	if !strings.HasSuffix(lines[at-1], "\n") {
		lines[at-1] += "\n"
	}
	return slices.Insert(lines, at, block...), nil
}

// belongs reports whether a line is part of a case whose keys are indented so much.
func belongs(line string, indent int) bool {
	return strings.TrimSpace(line) != "" && len(line)-len(strings.TrimLeft(line, " ")) >= indent
}

// present writes the module's answers as lines of a case.
func (c Case) present(ctx context.Context, m *workbench.Module) (Filled, error) {
	call := c.Call
	a := m.Ask(ctx, call)
	if a.Err != nil {
		return Filled{}, a.Err
	}
	for _, one := range a.All() {
		if err := one.Failed(); err != nil {
			return Filled{Name: c.Name, Failed: one.Verb + ": " + err.Error()}, nil
		}
	}
	lines := []string{
		member("check", answer(a.Check.Output, checkMembers)),
		member("read_only", readOnlyAnswer(&a.ReadOnly)),
	}
	match, err := c.presentMatch(ctx, m, &a.Suggest)
	if err != nil {
		return Filled{Name: c.Name, Failed: err.Error()}, nil
	}
	lines = append(lines, match...)
	lines = append(lines, member("suggestions", suggestAnswer(&a.Suggest)))
	if a.Describe != nil {
		output, err := described(&a)
		if err != nil {
			return Filled{Name: c.Name, Failed: err.Error()}, nil
		}
		if v := answer(output, describeMembers); v != "{}" {
			lines = append(lines, member("describe", v))
		}
	}
	return Filled{Name: c.Name, Lines: lines}, nil
}

func member(name, value string) string { return name + ": " + value }

// answer is a mapping of the non-empty members of an answer.
func answer(output json.RawMessage, known []string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(output, &members) != nil {
		return "error" // cannot be: it is sound
	}
	var parts []string
	for _, name := range known {
		if v, ok := members[name]; ok && !empty(v) {
			parts = append(parts, name+": "+flow(v))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func readOnlyAnswer(a *trial.Answer) string {
	all := answer(a.Output, readOnlyMembers)
	return cmp.Or(map[string]string{"{}": "false", "{read_only: true}": "true"}[all], all)
}

// contentsOf are the contents of suggested rules; nil is the whole tool.
func contentsOf(a *trial.Answer) (list []*string) {
	var answer struct {
		Rules []struct {
			Content *string `json:"content"`
		} `json:"rules"`
	}
	if json.Unmarshal(a.Output, &answer) != nil {
		return nil // cannot be: it is sound
	}
	for _, r := range answer.Rules {
		list = append(list, r.Content)
	}
	return list
}

func suggestAnswer(a *trial.Answer) string {
	return flow(append(json.RawMessage{}, marshal(append([]*string{}, contentsOf(a)...))...))
}

// presentMatch tries the suggested rules, each by itself, since an author wants to see them
// match.
func (c Case) presentMatch(ctx context.Context, m *workbench.Module, suggest *trial.Answer) ([]string, error) {
	var rules []string
	for _, content := range contentsOf(suggest) {
		if content != nil {
			rules = append(rules, *content)
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	call := c.Call
	call.Rules = []trial.RuleSet{{Behavior: "allow", Contents: rules}}
	a := m.Ask(ctx, call)
	if a.Err != nil {
		return nil, a.Err
	}
	one := &a.Match[0]
	var said struct {
		Matched json.RawMessage `json:"matched"`
	}
	if err := cmp.Or(one.Failed(), json.Unmarshal(one.Output, &said)); err != nil {
		return nil, fmt.Errorf("%s: %w", sandbox.MatchRule, err)
	}
	return []string{"match:", fmt.Sprintf("  - {behavior: allow, rules: %s, matched: %s}", flow(marshal(rules)), flow(said.Matched))}, nil
}

// flow is a JSON value as YAML on one line: JSON, with invisible characters escaped.
func flow(v json.RawMessage) string {
	value := jsontext.Value(bytes.Clone(v))
	if value.Format(jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true), jsontext.EscapeForJS(true)) != nil {
		return string(v) // cannot be: it was read
	}
	return string(value)
}
