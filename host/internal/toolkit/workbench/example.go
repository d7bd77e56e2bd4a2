package workbench

import (
	"context"
	"encoding/json"

	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/wire"
)

// ExampleResult is how one rule example of a tool went.
type ExampleResult struct {
	Tool string
	// Index counts the tool's examples from 0.
	Index   int
	Example wire.RuleExample
	// Matched is the module's answer; it should be Example.Match.
	Matched bool
	// Err is why there is no answer; nil when there is one.
	Err     error
	Answers trial.Answers
}

// OK reports whether the host would accept the module by this example.
func (r ExampleResult) OK() bool { return r.Err == nil && r.Matched == r.Example.Match }

// Examples runs all rule examples of the module's tools as the host does at loading, where one
// failure refuses the module; and all other exports on the same calls besides.
func (m *Module) Examples(ctx context.Context) []ExampleResult {
	var all []ExampleResult
	for _, t := range m.Description.Tools {
		for i, e := range t.RuleExamples {
			r := ExampleResult{Tool: t.Name, Index: i, Example: e}
			r.Answers = m.Ask(ctx, exampleCall(t.Name, e))
			r.Matched, r.Err = matched(&r.Answers)
			all = append(all, r)
		}
	}
	return all
}

func exampleCall(tool string, e wire.RuleExample) trial.Call {
	return trial.Call{Tool: tool, Input: e.Input, CWD: e.CWD, Rules: []trial.RuleSet{{Behavior: e.Behavior, Contents: []string{e.Content}}}}
}

// matched is the answer to the only set of rules.
func matched(a *trial.Answers) (bool, error) {
	if a.Err != nil {
		return false, a.Err
	}
	if a.Describe != nil && a.Describe.Failed() != nil {
		return false, a.Describe.Failed()
	}
	if err := a.Match[0].Failed(); err != nil {
		return false, err
	}
	var answer struct {
		Matched []int `json:"matched"`
	}
	err := json.Unmarshal(a.Match[0].Output, &answer)
	return len(answer.Matched) > 0, err
}
