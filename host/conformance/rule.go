package conformance

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// Level is what a finding of a rule means.
type Level string

// The levels. A module conforms when it has no finding of the level Failed.
const (
	Failed Level = "failed" // a promise of the ABI is broken
	Advice Level = "advice" // allowed, but a person will regret it
)

// Rule is one promise of the ABI.
type Rule struct {
	// ID is the rule's name for good, as "match.monotone".
	ID string `json:"id"`
	// Title is the promise in one sentence.
	Title string `json:"title"`
	// Level is that of its findings.
	Level Level `json:"level"`
	// Section is where docs/abi.md makes the promise.
	Section string `json:"section"`
	// Mend says what an author whose module breaks it can do.
	Mend string `json:"mend"`
}

// trials are how a rule is tried: once for the module, once for each tool, or once
// for each call that is made. One of them is set.
type trials struct {
	Rule
	module func(*run)
	tool   func(*run, *toolTrial)
	call   func(*run, *probe)
}

// all are the rules in the order in which they are tried and told. What shows that a
// module cannot be asked at all comes first.
var all = slices.Concat(abiRules, describeRules, answerRules, encodingRules, envelopeRules, inputRules, verdictRules, matchRules, suggestRules, describeCallRules, workRules)

// Rules lists the rules in the order in which they are tried.
func Rules() []Rule {
	list := make([]Rule, len(all))
	for i, r := range all {
		list[i] = r.Rule
	}
	return list
}

// Finding is one promise that was seen broken.
type Finding struct {
	Rule
	// Tool and Verb are what was asked; empty where it was the module.
	Tool string `json:"tool,omitempty"`
	Verb string `json:"verb,omitempty"`
	// Tried says in words what was tried, and Came what came of it. Came may hold
	// words of the module.
	Tried string `json:"tried"`
	Came  string `json:"came"`
	// Input is what the verb read, exactly; nil where nothing was read, or more than
	// 1 MiB was.
	Input []byte `json:"-"`
	// Case is the call and what must come of it, for a file of cases; nil where a
	// case cannot say it.
	Case *Case `json:"-"`
}

// MarshalJSON implements json.Marshaler: the input as a text, or in base64 where it is
// none.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	out := struct {
		plain
		Input  string `json:"input,omitempty"`
		Base64 []byte `json:"input_base64,omitempty"`
	}{plain: plain(f)}
	if utf8.Valid(f.Input) {
		out.Input = string(f.Input)
	} else {
		out.Base64 = f.Input
	}
	return json.Marshal(out)
}

// Outcome is how a rule went.
type Outcome string

// The outcomes of a rule.
const (
	Passed  Outcome = "passed"
	Broken  Outcome = "failed"
	Advised Outcome = "advice"
	Skipped Outcome = "skipped"
)

// Result is one rule's part of a report.
type Result struct {
	Rule
	Outcome Outcome `json:"outcome"`
	// Tried counts what was tried.
	Tried int `json:"tried"`
	// Why says why a rule was skipped.
	Why string `json:"why,omitempty"`
	// Found counts the findings, of which the report keeps the first three of a rule.
	Found int `json:"found,omitempty"`
}

// Report is how a module stands to the ABI.
type Report struct {
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	Seed    uint64 `json:"seed"`
	// Calls counts the calls of verbs that were made.
	Calls    int       `json:"calls"`
	Results  []Result  `json:"rules"`
	Findings []Finding `json:"findings"`
}

// Conforms reports whether no promise was seen broken.
func (r Report) Conforms() bool {
	return !slices.ContainsFunc(r.Results, func(x Result) bool { return x.Outcome == Broken })
}

// Count is how many rules had an outcome.
func (r Report) Count(o Outcome) (n int) {
	for _, x := range r.Results {
		if x.Outcome == o {
			n++
		}
	}
	return n
}
