package conformance

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// Level is the severity of a rule's findings.
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
	// Level is the severity of its findings.
	Level Level `json:"level"`
	// Section is where docs/abi.md makes the promise.
	Section string `json:"section"`
	// Mend is the fix for an author whose module breaks it.
	Mend string `json:"mend"`
}

// trials are the ways to try a rule: once for the module, once for each tool, or once for each
// call. One of them is set.
type trials struct {
	Rule
	module func(*run)
	tool   func(*run, *toolTrial)
	call   func(*run, *probe)
}

// all are the rules in the order of trial and report. Those about an unusable module come
// first.
var all = slices.Concat(abiRules, describeRules, answerRules, encodingRules, envelopeRules, inputRules, verdictRules, matchRules, suggestRules, describeCallRules, stateRules, workRules)

// Rules lists the rules in the order of trial.
func Rules() []Rule {
	list := make([]Rule, len(all))
	for i, r := range all {
		list[i] = r.Rule
	}
	return list
}

// Finding is one broken promise.
type Finding struct {
	Rule
	// Tool and Verb are the subject; empty for the module itself.
	Tool string `json:"tool,omitempty"`
	Verb string `json:"verb,omitempty"`
	// Tried describes the trial, and Came its result. Came may hold words of the module.
	Tried string `json:"tried"`
	Came  string `json:"came"`
	// Input is the verb's exact input; nil for none, or more than 1 MiB.
	Input []byte `json:"-"`
	// Case is the call and its required result, for a file of cases; nil where a case cannot
	// express it.
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
	// Tried counts the trials.
	Tried int `json:"tried"`
	// Why says why a rule was skipped.
	Why string `json:"why,omitempty"`
	// Found counts the findings; the report keeps the first three of a rule.
	Found int `json:"found,omitempty"`
}

// Report is how a module stands to the ABI.
type Report struct {
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	Seed    uint64 `json:"seed"`
	// Calls counts the calls of verbs.
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
