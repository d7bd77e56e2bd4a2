package cases

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Result is one case, or one of the module's own rule examples, in a Report.
type Result struct {
	Name string `json:"name"`
	// File and Line say where the case stands; empty for a rule example.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Asked is the tool and its input.
	Asked string `json:"asked"`
	OK    bool   `json:"ok"`
	// Silent marks a case without expectations; it is not OK.
	Silent      bool         `json:"silent,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// Fuel and Milliseconds are of all exports together.
	Fuel         int64   `json:"fuel"`
	Milliseconds float64 `json:"milliseconds"`
}

// Report is the result of testing one module.
type Report struct {
	Module   string   `json:"module"`
	Digest   string   `json:"digest"`
	Cases    []Result `json:"cases"`
	Examples []Result `json:"rule_examples"`
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
}

// OK reports whether everything passed, and whether there was anything.
func (r *Report) OK() bool { return r.Failed == 0 && r.Passed > 0 }

// Test runs the module's own rule examples, and the cases with a name matching only, all with
// nil.
func Test(ctx context.Context, m *workbench.Module, all []Case, only *regexp.Regexp) *Report {
	r := &Report{Module: m.Path, Digest: m.Digest, Cases: []Result{}, Examples: []Result{}}
	for _, c := range all {
		if only == nil || only.MatchString(c.Name) {
			r.Cases = append(r.Cases, r.count(c.Run(ctx, m).result()))
		}
	}
	for _, e := range m.Examples(ctx) {
		name := fmt.Sprintf("rule_examples[%d] of %s", e.Index, e.Tool)
		if only == nil || only.MatchString(name) {
			r.Examples = append(r.Examples, r.count(exampleResult(name, e)))
		}
	}
	return r
}

func (r *Report) count(one Result) Result {
	if one.OK {
		r.Passed++
	} else {
		r.Failed++
	}
	return one
}

func (o Outcome) result() Result {
	input := o.Case.Call.Input
	if raw := o.Case.Call.Raw; raw != nil {
		input = raw
	}
	tool := o.Answers.Tool
	if tool == "" {
		tool = o.Case.Call.Tool
	}
	return Result{
		Name: o.Case.Name, File: o.Case.File, Line: o.Case.Line, Asked: strings.TrimSpace(tool + " " + text(input)),
		OK: o.OK() && !o.Case.Silent(), Silent: o.Case.Silent(), Differences: o.Differences, Fuel: o.Fuel, Milliseconds: ms(o.Took),
	}
}

func exampleResult(name string, e workbench.ExampleResult) Result {
	r := Result{Name: name, Asked: fmt.Sprintf("%s, %s rule %s, %s", e.Tool, e.Example.Behavior, card.Line(e.Example.Content), text(e.Example.Input)), OK: e.OK()}
	for _, a := range e.Answers.All() {
		r.Fuel += a.Fuel
		r.Milliseconds += ms(a.Took)
	}
	switch {
	case e.Err != nil:
		r.Differences = []Difference{{Verb: sandbox.MatchRule, Want: matches(e.Example.Match), Got: "(no answer: " + e.Err.Error() + ")"}}
	case !e.OK():
		r.Differences = []Difference{{Verb: sandbox.MatchRule, Want: matches(e.Example.Match), Got: matches(e.Matched)}}
	}
	return r
}

func matches(yes bool) string {
	if yes {
		return "(the rule matches)"
	}
	return "(the rule does not match)"
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Print writes the failures, and with verbose the successes as well, then the counts. Texts of
// modules are made harmless.
func (r *Report) Print(w io.Writer, verbose bool) {
	for _, list := range [][]Result{r.Cases, r.Examples} {
		for _, one := range list {
			one.print(w, verbose)
		}
	}
	fmt.Fprintf(w, "%s: %s and %s: %d passed, %d failed\n", card.Line(r.Module),
		number(len(r.Cases), "case"), number(len(r.Examples), "rule example"), r.Passed, r.Failed)
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r Result) print(w io.Writer, verbose bool) {
	if r.OK {
		if verbose {
			fmt.Fprintf(w, "ok    %s (%.1f ms, fuel %d)\n", card.Line(r.Name), r.Milliseconds, r.Fuel)
		}
		return
	}
	fmt.Fprintf(w, "FAIL  %s%s\n      asked: %s\n", card.Line(r.Name), r.place(), card.Line(r.Asked))
	if r.Silent && len(r.Differences) == 0 {
		fmt.Fprintln(w, "      expects nothing, so it shows nothing: write down an answer, or have the present ones written with --update")
	}
	verb := ""
	for _, d := range r.Differences {
		if d.Verb != verb {
			verb = d.Verb
			fmt.Fprintf(w, "      %s\n", verb)
		}
		if d.Where != "" {
			fmt.Fprintf(w, "        %s\n", d.Where)
		}
		for _, line := range d.Lines() {
			fmt.Fprintf(w, "          %s\n", line)
		}
	}
}

func (r Result) place() string {
	if r.File == "" {
		return ""
	}
	return fmt.Sprintf("  (%s:%d)", card.Line(r.File), r.Line)
}
