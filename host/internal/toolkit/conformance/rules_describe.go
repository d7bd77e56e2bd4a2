package conformance

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

const describeAnswers = "describe.answers"

// describeRules are about a module's description of itself.
var describeRules = []trials{
	{Rule: Rule{describeAnswers, "describe answers with a description that the host reads", Failed, "describe",
		"Answer describe, which reads nothing, with the members of the ABI document and no others."}, module: answersDescribe},
	{Rule: Rule{"describe.same", "describe answers the same each time, also in a fresh instance", Failed, "describe",
		"Make the description of constants: nothing that counts, no order of a hash table, no clock, no random number."}, module: describesTheSame},
	{Rule: Rule{"describe.examples", "its rule examples come out as they say", Failed, "describe",
		"Mend match_rule, or the example. The host refuses a module that fails its own examples."}, tool: examplesHold},
	{Rule: Rule{"describe.schema", "each input_schema is a JSON Schema that its own examples fit", Advice, "describe",
		"Write the schema as the tool takes its input: people and models read it, and calls are made of it here."}, tool: schemaFits},
	{Rule: Rule{"describe.both", "each tool has an example that matches and one that does not", Advice, "describe",
		"Add to rule_examples what is missing: they are the documentation of your rules, and the only test that the host runs before it swaps versions."}, tool: bothExamples},
	{Rule: Rule{"describe.help", "each tool says how its rules are written, and the module what it is", Advice, "describe",
		"Write rule_help (one paragraph) and summary (one sentence): whoever grants or writes a rule sees them."}, tool: helps},
}

func answersDescribe(r *run) {
	r.try()
	var step *workbench.StepError
	if errors.As(r.subject.Problem, &step) && (step.Step == workbench.StepDescribe || step.Step == workbench.StepParse) {
		r.fail(Finding{Verb: sandbox.Describe, Tried: string(step.Step), Came: step.Err.Error()})
	}
}

func describesTheSame(r *run) {
	for _, where := range []struct {
		name string
		m    trial.Runner
	}{{"again", r.subject.Runner}, {"in a fresh instance", r.fresh()}} {
		if where.m == nil {
			continue
		}
		r.try()
		if res := r.putTo(where.m, sandbox.Describe, nil); res.Err != nil || !bytes.Equal(res.Output, r.subject.Raw) {
			r.fail(Finding{Verb: sandbox.Describe, Tried: "describe " + where.name, Came: came(res) + "; the first answer was " + brief(r.subject.Raw)})
		}
	}
}

func examplesHold(r *run, t *toolTrial) {
	for i, e := range t.RuleExamples {
		r.try()
		tried := fmt.Sprintf("rule_examples[%d]: %s %s", i, e.Behavior, brief([]byte(e.Content)))
		f := Finding{Tool: t.Name, Verb: sandbox.MatchRule, Tried: tried, Input: e.Input}
		input, err := strictjson.Object(e.Input)
		if err != nil {
			f.Came = "its input is nothing that a tool is called with: " + err.Error()
			r.fail(f)
			continue
		}
		p := r.probe(t, trial.Call{Tool: t.called, Input: input, CWD: e.CWD}, fromAuthor)
		indices, ok := p.matched(e.Behavior, e.Content)
		if !ok {
			f.Came = "no answer: " + failure(p.matching(e.Behavior, e.Content))
			r.fail(f)
		} else if got := len(indices) > 0; got != e.Match {
			f.Came = fmt.Sprintf("matches: %t; the example says %t", got, e.Match)
			r.fail(f)
		}
	}
}

// failure is why there is no answer.
func failure(a trial.Answer, _ bool) string {
	if err := a.Failed(); err != nil {
		return err.Error()
	}
	return "the call could not be put"
}

func schemaFits(r *run, t *toolTrial) {
	if len(t.InputSchema) == 0 {
		r.skip(r.now.ID, "no tool has an input_schema")
		return
	}
	r.try()
	if t.schema.problem != nil {
		r.fail(Finding{Tool: t.Name, Verb: sandbox.Describe, Tried: "read input_schema", Came: t.schema.problem.Error()})
		return
	}
	for i, e := range t.RuleExamples {
		if valid, ok := t.schema.accepts(e.Input); ok && !valid {
			r.fail(Finding{Tool: t.Name, Verb: sandbox.Describe, Input: e.Input, Tried: fmt.Sprintf("rule_examples[%d] by the input_schema", i),
				Came: fmt.Sprint(t.schema.objection(e.Input))})
		}
	}
}

func bothExamples(r *run, t *toolTrial) {
	r.try()
	var yes, no bool
	for _, e := range t.RuleExamples {
		yes, no = yes || e.Match, no || !e.Match
	}
	if !yes || !no {
		r.fail(Finding{Tool: t.Name, Verb: sandbox.Describe, Tried: "look at rule_examples", Came: fmt.Sprintf("%d examples: one that matches: %t, one that does not: %t", len(t.RuleExamples), yes, no)})
	}
}

func helps(r *run, t *toolTrial) {
	r.try()
	if t.RuleHelp == "" || r.subject.Described.Summary == "" {
		r.fail(Finding{Tool: t.Name, Verb: sandbox.Describe, Tried: "look at rule_help and summary", Came: "one of them is missing"})
	}
}
