package catalog

import (
	"bytes"
	"path"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/sandbox"
)

// The world of a rule example. Source: docs/abi.md.
const (
	exampleCWD  = "/project"
	exampleHome = "/home/user"
)

// call is the call an example speaks of.
func (e Example) call(tool string) *engine.Call {
	cwd := e.CWD
	if cwd == "" {
		cwd = exampleCWD
	}
	return &engine.Call{Tool: tool, Input: e.Input, Context: engine.Context{
		CWD: cwd, WorkingDirectories: []string{cwd}, Home: exampleHome, Kind: engine.Main,
	}}
}

// warmExamples is how many examples a module is warmed up with.
const warmExamples = 6

// WarmUp are the calls that the module's instances are warmed up on: its own
// examples, taken from all its tools in turn.
func (d *Described) WarmUp() []sandbox.Example {
	var examples []sandbox.Example
	for i := 0; i < maxExamples && len(examples) < warmExamples; i++ {
		for _, t := range d.Tools {
			if i < len(t.RuleExamples) && len(examples) < warmExamples {
				examples = append(examples, t.RuleExamples[i].envelopes(t.Name))
			}
		}
	}
	return examples
}

// envelopes are what each verb would read of the example's call.
func (e Example) envelopes(tool string) sandbox.Example {
	call, rules := e.call(tool), []engine.RuleText{{Content: e.Content}}
	all := sandbox.Example{}
	add := func(verb string, encode func(*bytes.Buffer) error) {
		var env bytes.Buffer
		if encode(&env) == nil {
			all[verb] = env.Bytes()
		}
	}
	for _, verb := range []string{sandbox.DescribeCall, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.GenerateSuggestions} {
		add(verb, func(env *bytes.Buffer) error { return encode(env, verb, tool, call, nil) })
	}
	add(sandbox.MatchRule, func(env *bytes.Buffer) error {
		return encodeRules(env, sandbox.MatchRule, tool, call, nil, e.Behavior, rules)
	})
	return all
}

// lexicalTargets resolves targets in a world without links, where nothing
// exists: examples must mean the same on every machine.
func lexicalTargets(targets []engine.Target, c *engine.Context) []engine.Target {
	for i := range targets {
		t := &targets[i]
		if t.Kind != "path" {
			continue
		}
		p := t.Value
		if p == "~" || strings.HasPrefix(p, "~/") {
			p = c.Home + p[1:]
		} else if !path.IsAbs(p) {
			p = path.Join(c.CWD, p)
		}
		t.Lexical = path.Clean(p)
		t.Resolved = t.Lexical
		for _, dir := range c.WorkingDirectories {
			if t.Lexical == dir || strings.HasPrefix(t.Lexical, strings.TrimSuffix(dir, "/")+"/") {
				t.Inside = dir
			}
		}
	}
	return targets
}
