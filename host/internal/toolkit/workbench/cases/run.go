package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Difference is one unexpected part of a module's answer.
type Difference struct {
	// Verb is the export; empty where nothing could be asked.
	Verb string `json:"verb,omitempty"`
	// Where is the member, such as "reason" or "rules[1].content"; empty for the
	// answer as a whole.
	Where string `json:"where,omitempty"`
	// Want and Got are JSON, or words in parentheses such as (no answer: ...). Got
	// is the module's: untrusted text.
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Outcome is how one case went.
type Outcome struct {
	Case        Case
	Answers     trial.Answers
	Differences []Difference
	// Fuel and Took are of all exports together.
	Fuel int64
	Took time.Duration
}

// OK reports whether the module answered as expected.
func (o Outcome) OK() bool { return len(o.Differences) == 0 }

// Run asks the module and compares.
func (c Case) Run(ctx context.Context, m *workbench.Module) Outcome {
	call := c.Call
	if c.mustFail && len(call.Rules) == 0 {
		call.Rules = []trial.RuleSet{{Behavior: "allow", Contents: []string{"x"}}}
	}
	o := Outcome{Case: c, Answers: m.Ask(ctx, call)}
	for _, a := range o.Answers.All() {
		o.Fuel += a.Fuel
		o.Took += a.Took
	}
	if err := o.Answers.Err; err != nil {
		o.Differences = []Difference{{Want: "(a call that can be put to the module)", Got: "(" + err.Error() + ")"}}
		return o
	}
	if c.mustFail {
		o.Differences = allFail(&o.Answers)
		return o
	}
	o.Differences = c.compare(&o.Answers)
	return o
}

func allFail(a *trial.Answers) (diffs []Difference) {
	for _, one := range a.All() {
		diffs = append(diffs, (&want{failure: true}).compare(one.Verb, one.Output, one.Failed())...)
	}
	return diffs
}

func (c Case) compare(a *trial.Answers) (diffs []Difference) {
	if c.describe != nil {
		output, err := described(a)
		diffs = append(diffs, c.describe.compare(sandbox.DescribeCall, output, err)...)
	}
	add := func(w *want, one *trial.Answer) {
		if w != nil {
			diffs = append(diffs, w.compare(one.Verb, one.Output, one.Failed())...)
		}
	}
	add(c.check, &a.Check)
	add(c.readOnly, &a.ReadOnly)
	for i, w := range c.match {
		one := &a.Match[i]
		for _, d := range w.compare(one.Verb, one.Output, one.Failed()) {
			d.Where = strings.TrimSuffix(fmt.Sprintf("match[%d].%s", i, d.Where), ".")
			diffs = append(diffs, d)
		}
	}
	add(c.suggest, &a.Suggest)
	return diffs
}

// described is describe_call's result: its first answer, with the actions of the second where
// links lead a path elsewhere.
func described(a *trial.Answers) (json.RawMessage, error) {
	switch {
	case a.Describe == nil:
		return nil, fmt.Errorf("the module has no %s", sandbox.DescribeCall)
	case a.Describe.Failed() != nil:
		return nil, a.Describe.Failed()
	case a.Again == nil:
		return a.Describe.Output, nil
	case a.Again.Failed() != nil:
		return nil, fmt.Errorf("asked again with the resolved paths: %w", a.Again.Failed())
	}
	var first, again map[string]json.RawMessage
	if err := json.Unmarshal(a.Describe.Output, &first); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(a.Again.Output, &again); err != nil {
		return nil, err
	}
	if !empty(again["action"]) {
		first["action"], first["actions"] = again["action"], again["actions"]
	}
	return json.Marshal(first)
}

// compare lists the differences in one answer.
func (w *want) compare(verb string, output json.RawMessage, failed error) []Difference {
	switch {
	case w.failure && failed == nil:
		return []Difference{{Verb: verb, Want: "(no answer: it must fail)", Got: text(output)}}
	case w.failure:
		return nil
	case failed != nil:
		return []Difference{{Verb: verb, Want: w.String(), Got: "(no answer: " + failed.Error() + ")"}}
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(output, &answer); err != nil {
		return []Difference{{Verb: verb, Want: w.String(), Got: "(" + err.Error() + ")"}} // cannot be: it is sound
	}
	if w.list {
		return w.compareRules(verb, answer["rules"])
	}
	return compareMembers(verb, "", w.names, w.members, answer)
}

func compareMembers(verb, at string, names []string, want, got map[string]json.RawMessage) (diffs []Difference) {
	for _, name := range names {
		same := equal
		if name == "content" { // null is the whole tool, and no empty text
			same = identical
		}
		if !same(want[name], got[name]) {
			diffs = append(diffs, Difference{Verb: verb, Where: at + name, Want: text(want[name]), Got: text(got[name])})
		}
	}
	return diffs
}

// compareRules compares suggestions: one by one where there are as many as there
// should be, else their contents as a whole.
func (w *want) compareRules(verb string, rules json.RawMessage) (diffs []Difference) {
	var got []map[string]json.RawMessage
	if err := json.Unmarshal(rules, &got); err != nil {
		return []Difference{{Verb: verb, Where: "rules", Want: w.String(), Got: text(rules)}} // cannot be: it is sound
	}
	if len(got) != len(w.rules) {
		return []Difference{{Verb: verb, Where: "rules", Want: contents(w.rules), Got: contents(got)}}
	}
	for i, rule := range w.rules {
		at := fmt.Sprintf("rules[%d].", i)
		var names []string
		for _, name := range suggestMembers {
			if _, ok := rule[name]; ok {
				names = append(names, name)
			}
		}
		diffs = append(diffs, compareMembers(verb, at, names, rule, got[i])...)
	}
	return diffs
}

// contents are those of some rules, as a JSON list.
func contents[M ~map[string]json.RawMessage](rules []M) string {
	list := make([]json.RawMessage, len(rules))
	for i, r := range rules {
		if list[i] = r["content"]; list[i] == nil {
			list[i] = json.RawMessage("null")
		}
	}
	return text(marshal(list))
}

// String shows the expectation.
func (w *want) String() string {
	switch {
	case w.failure:
		return "(no answer)"
	case w.list:
		return contents(w.rules)
	}
	return text(marshal(w.members))
}

func marshal(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil // cannot be: every value came from JSON
	}
	return data
}

// equal compares two values as JSON. An expected null, false or empty value may be absent.
func equal(want, got json.RawMessage) bool {
	return empty(want) && empty(got) || identical(want, got)
}

// identical compares two values as JSON, an absent one being null.
func identical(want, got json.RawMessage) bool {
	return bytes.Equal(canonical(want), canonical(got))
}

// empty is the meaning of an absent member as well.
func empty(v json.RawMessage) bool {
	switch string(canonical(v)) {
	case "null", "false", `""`, "[]":
		return true
	}
	return false
}

// canonical is one spelling of a value.
func canonical(v json.RawMessage) []byte {
	if len(v) == 0 {
		return []byte("null")
	}
	value := jsontext.Value(bytes.Clone(v))
	if value.Canonicalize() != nil {
		return v // a number too large, at most
	}
	return value
}

// text is a value for people, on one line.
func text(v json.RawMessage) string {
	if len(v) == 0 {
		return "(nothing)"
	}
	value := jsontext.Value(bytes.Clone(v))
	if value.Compact() != nil {
		return string(v)
	}
	return string(value)
}
