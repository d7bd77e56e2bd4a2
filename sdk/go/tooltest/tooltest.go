// Package tooltest lets a tool author test a module as plain Go: a Host asks it the same questions
// as Callgate, in the same order, with the call's targets resolved over an imaginary file system
// with nothing but the given links.
package tooltest

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Host stands in for Callgate. The zero value with a Module works: it runs in
// /project, the only working directory, for a home of /home/user, as the rule
// examples of a module do.
type Host struct {
	Module tool.Module
	// Context is the call's context; Targets are added by the host.
	Context tool.Context
	// Config is the operator's configuration of the tool, as JSON; empty for none.
	Config string
	// Links maps the absolute path of each link to where it leads.
	Links map[string]string
}

// call is the envelope as a host spells it.
type call struct {
	Tool     string          `json:"tool"`
	Input    json.RawMessage `json:"input"`
	Config   json.RawMessage `json:"config,omitempty"`
	Context  tool.Context    `json:"context"`
	Behavior tool.Behavior   `json:"behavior,omitempty"`
	Rules    []tool.Rule     `json:"rules,omitempty"`
}

// Check returns the answer of check_permissions. Any error fails the test.
func (h Host) Check(t testing.TB, name, input string) tool.Verdict {
	t.Helper()
	var v tool.Verdict
	h.ask(t, "check_permissions", h.envelope(t, name, input), &v)
	return v
}

// ReadOnly returns the answer of check_read_only.
func (h Host) ReadOnly(t testing.TB, name, input string) bool {
	t.Helper()
	var r tool.ReadOnly
	e := h.envelope(t, name, input)
	e.Context.Mode, e.Context.Annotations = "", nil
	h.ask(t, "check_read_only", e, &r)
	return r.ReadOnly
}

// Match tells whether one rule, with the given behavior and content, decides.
func (h Host) Match(t testing.TB, behavior tool.Behavior, content, name, input string) bool {
	t.Helper()
	return len(h.MatchAll(t, behavior, []tool.Rule{{Content: content}}, name, input)) > 0
}

// MatchAll returns the indices of the deciding rules.
func (h Host) MatchAll(t testing.TB, behavior tool.Behavior, rules []tool.Rule, name, input string) []int {
	t.Helper()
	e := h.envelope(t, name, input)
	e.Context.Mode, e.Context.Annotations = "", nil
	e.Behavior, e.Rules = behavior, rules
	var m struct {
		Matched []int `json:"matched"`
	}
	h.ask(t, "match_rule", e, &m)
	return m.Matched
}

// Suggest returns the contents of the suggested rules in order; "" stands for
// the whole tool.
func (h Host) Suggest(t testing.TB, name, input string) []string {
	t.Helper()
	var s struct {
		Rules []tool.Suggestion `json:"rules"`
	}
	h.ask(t, "generate_suggestions", h.envelope(t, name, input), &s)
	contents := []string{}
	for _, r := range s.Rules {
		if r.Content == nil {
			contents = append(contents, "")
		} else {
			contents = append(contents, *r.Content)
		}
	}
	return contents
}

// Describe returns the answer of describe_call.
func (h Host) Describe(t testing.TB, name, input string) tool.Description {
	t.Helper()
	var d tool.Description
	h.ask(t, "describe_call", h.bare(name, input), &d)
	return d
}

// CheckExamples runs every rule example of the module as Callgate does when it loads it, and fails
// the test for each wrong one.
func (h Host) CheckExamples(t testing.TB) {
	t.Helper()
	out, err := tool.Handle(h.Module, "describe", nil)
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	var d struct {
		Tools []struct {
			Name     string             `json:"name"`
			Examples []tool.RuleExample `json:"rule_examples"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatalf("describe: %v", err)
	}
	for _, described := range d.Tools {
		for _, ex := range described.Examples {
			at := h
			if ex.CWD != "" {
				at.Context.CWD, at.Context.WorkingDirectories = ex.CWD, []string{ex.CWD}
			}
			if got := at.Match(t, ex.Behavior, ex.Content, described.Name, string(ex.Input)); got != ex.Match {
				t.Errorf("%s: rule %s(%s) on %s: got match %v, want %v", described.Name, ex.Behavior, ex.Content, ex.Input, got, ex.Match)
			}
		}
	}
}

func (h Host) ask(t testing.TB, verb string, e call, answer any) {
	t.Helper()
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("%s: envelope: %v", verb, err)
	}
	out, err := tool.Handle(h.Module, verb, data)
	if err != nil {
		t.Fatalf("%s %s: %v", verb, e.Input, err)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%s: answer %s: %v", verb, out, err)
	}
}

// bare is the envelope without targets.
func (h Host) bare(name, input string) call {
	c := h.Context
	if c.CWD == "" {
		c.CWD = "/project"
	}
	if c.WorkingDirectories == nil {
		c.WorkingDirectories = []string{c.CWD}
	}
	if c.Home == "" {
		c.Home = "/home/user"
	}
	return call{Tool: name, Input: json.RawMessage(input), Config: json.RawMessage(h.Config), Context: c}
}

func (h Host) envelope(t testing.TB, name, input string) call {
	t.Helper()
	e := h.bare(name, input)
	d := h.Describe(t, name, input)
	e.Context.TargetsUnknown = d.TargetsUnknown
	for _, target := range d.Targets {
		e.Context.Targets = append(e.Context.Targets, h.resolve(e.Context, target))
	}
	return e
}

// resolve fills in the host's findings.
func (h Host) resolve(c tool.Context, target tool.Target) tool.Target {
	if target.Kind != tool.Path {
		return target
	}
	p := target.Value
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		p = c.Home + p[1:]
	case !path.IsAbs(p):
		p = c.CWD + "/" + p
	}
	resolved, err := h.follow(p, 40)
	if err != nil {
		target.Error = err.Error()
		return target
	}
	target.Lexical, target.Resolved = path.Clean(p), resolved
	for _, dir := range c.WorkingDirectories {
		if below(dir, target.Lexical) && below(dir, resolved) {
			target.Inside = dir
			break
		}
	}
	return target
}

// follow walks p component by component: links first, ".." after them.
func (h Host) follow(p string, budget int) (string, error) {
	at := "/"
	rest := strings.Split(p, "/")
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, name)
		link, ok := h.Links[next]
		if !ok {
			at = next
			continue
		}
		if budget--; budget < 0 {
			return "", fmt.Errorf("%s: too many links", p)
		}
		if path.IsAbs(link) {
			at = "/"
		}
		rest = append(strings.Split(link, "/"), rest...)
	}
	return at, nil
}

func below(dir, p string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
