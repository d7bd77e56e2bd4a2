package conformance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/sdk/go/tool"
)

// note is the input of the fake modules' tool.
type note struct {
	Title string          `json:"title" tool:"required"`
	Count json.RawMessage `json:"count"`
	File  string          `json:"file"`
}

const noteSchema = `{"type":"object","properties":{"title":{"type":"string"},"count":{"type":"integer"},"file":{"type":"string"}},"required":["title"],"additionalProperties":false}`

// noteSpec is a tool keeping every promise. Its rules are the default ones: the input, or
// param:value.
func noteSpec() tool.Spec[note] {
	example := func(content string, b tool.Behavior, input string, match bool) tool.RuleExample {
		return tool.RuleExample{Content: content, Behavior: b, Input: json.RawMessage(input), Match: match}
	}
	return tool.Spec[note]{
		Name: "Note", InputSchema: noteSchema, RuleHelp: "param:value with * for any text",
		RuleExamples: []tool.RuleExample{
			example("title:show", tool.Allow, `{"title":"show"}`, true),
			example("title:sh*", tool.Allow, `{"title":"show","file":"a/b"}`, true),
			example("title:show", tool.Allow, `{"title":"secret"}`, false),
			example("title:secret*", tool.Deny, `{"title":"secret 2"}`, true),
		},
		Check: func(c *tool.Call[note]) tool.Verdict {
			if strings.HasPrefix(c.Input.Title, "secret") {
				return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "secret"}
			}
			for _, t := range c.Context.Targets {
				if t.Error == "" && !t.Claimed && t.Inside != "" {
					return tool.Verdict{Behavior: tool.Allow}
				}
			}
			return tool.Verdict{}
		},
		ReadOnly: func(c *tool.Call[note]) tool.ReadOnly { return tool.ReadOnly{ReadOnly: c.Input.Title == "show"} },
		Suggest: func(c *tool.Call[note]) []tool.Suggestion {
			title := c.Input.Title
			exact, err := tool.Canonical(c.Raw)
			if strings.HasPrefix(title, "secret") || len(exact) > 1000 || err != nil || strings.Contains(title, "*") {
				return nil
			}
			s := tool.Propose("title:"+title, "this title")
			miss, _ := json.Marshal(map[string]string{"title": title + "-2"})
			s.NearMisses = []json.RawMessage{miss}
			return []tool.Suggestion{s, tool.Propose(exact, "this note")}
		},
		Describe: func(c *tool.Call[note]) tool.Description {
			d := tool.Description{Action: "tool:Note:" + c.Input.Title[:min(len(c.Input.Title), 10)]}
			if c.Input.File != "" && len(c.Input.File) < 1000 && !strings.Contains(c.Input.File, "\x00") {
				d.Targets = []tool.Target{{Kind: tool.Path, Value: c.Input.File, Access: tool.Read}}
			}
			return d
		},
	}
}

// fake is a module in this process: a tool of the SDK, and its defect.
type fake struct {
	module tool.Module
	twist  twist
	// fuel is a call's fuel; nil is ten for each byte.
	fuel func(input []byte) int64
	// lines is how many lines of ten bytes each call logs.
	lines int
}

// twist answers in place of the module, or by it: right.
type twist func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error)

// Has implements trial.Runner.
func (fake) Has(string) bool { return true }

// Run implements trial.Runner.
func (f fake) Run(_ context.Context, verb string, input []byte) trial.Result {
	right := func(input []byte) ([]byte, error) { return tool.Handle(f.module, verb, input) }
	out, err := right, error(nil)
	var output []byte
	if f.twist != nil {
		output, err = f.twist(verb, input, out)
	} else {
		output, err = right(input)
	}
	fuel := 1000 + 10*int64(len(input))
	if f.fuel != nil {
		fuel = f.fuel(input)
	}
	if _, own := err.(*sandbox.Error); err != nil && !own {
		err = &sandbox.Error{Module: "fake", Export: verb, Kind: sandbox.KindCode, Message: err.Error()}
	}
	if err != nil {
		output = nil
	}
	return trial.Result{Output: output, Err: err, Fuel: fuel, LogLines: f.lines, LogBytes: 10 * f.lines}
}

// subject makes a Subject of a fake.
func (f fake) subject(t testing.TB, fresh twist) conformance.Subject {
	first := f.Run(t.Context(), sandbox.Describe, nil)
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	d, err := modules.ParseDescription(first.Output)
	if err != nil {
		t.Fatal(err)
	}
	again := f
	again.twist = fresh
	return conformance.Subject{
		Runner: f, Described: d, Raw: first.Output, Imports: []string{}, Exports: []string{},
		Fresh: func(context.Context) (trial.Runner, error) { return again, nil },
	}
}

// noteModule is a module of the one tool.
func noteModule(change func(*tool.Spec[note])) tool.Module {
	spec := noteSpec()
	if change != nil {
		change(&spec)
	}
	return tool.Module{Name: "note", Version: "1.0.0", Summary: "Judges notes.", Tools: []tool.Tool{tool.Define(spec)}}
}
