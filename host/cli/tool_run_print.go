package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// question is one question and its answer.
type question struct {
	Verb string `json:"verb"`
	// Rules are the rules for match_rule.
	Rules        string          `json:"rules,omitempty"`
	Envelope     string          `json:"envelope,omitempty"`
	Output       json.RawMessage `json:"output,omitempty"`
	OutputText   string          `json:"output_text,omitempty"`
	Error        string          `json:"error,omitempty"`
	Fuel         int64           `json:"fuel"`
	Milliseconds float64         `json:"milliseconds"`
}

func (f *runFlags) shown(a *trial.Answer, rules string) question {
	one := question{Verb: a.Verb, Rules: rules, Fuel: a.Fuel, Milliseconds: float64(a.Took.Microseconds()) / 1000}
	if f.verbose {
		one.Envelope = string(a.Envelope)
	}
	if json.Valid(a.Output) {
		one.Output = a.Output
	} else {
		one.OutputText = string(a.Output)
	}
	if err := a.Failed(); err != nil {
		one.Error = err.Error()
	}
	return one
}

// printAsked writes the questions; the module's texts are made harmless.
func printAsked(w io.Writer, all []question) {
	for _, a := range all {
		title := a.Verb
		if a.Rules != "" {
			title += " (" + card.Line(a.Rules) + ")"
		}
		fmt.Fprintf(w, "%s: fuel %d, %.2f ms\n", title, a.Fuel, a.Milliseconds)
		if a.Envelope != "" {
			fmt.Fprintf(w, "  reads   %s\n", card.Line(a.Envelope))
		}
		if a.Output != nil || a.OutputText != "" {
			fmt.Fprintf(w, "  answers %s\n", indented(a))
		}
		if a.Error != "" {
			fmt.Fprintf(w, "  invalid answer: %s\n", card.Line(a.Error))
		}
	}
}

// indented is an answer below the word before it.
func indented(a question) string {
	var out bytes.Buffer
	if a.Output == nil || json.Indent(&out, a.Output, "          ", "  ") != nil {
		return card.Line(a.OutputText)
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		blanks := len(line) - len(strings.TrimLeft(line, " "))
		lines[i] = line[:blanks] + card.Line(line[blanks:])
	}
	return strings.Join(lines, "\n")
}
