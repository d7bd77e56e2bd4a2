package store

import (
	"encoding/json"
	"slices"

	"github.com/callgate/callgate/host/ask"
)

// askBody is the ask as it is stored. What has ended keeps no raw input, whatever
// the caller left in it, and its other texts hide secrets as the audit does: they
// quote the input.
func (s *Store) askBody(a ask.Ask) (string, error) {
	if !a.State.Waiting() {
		a = s.Masked(a)
	}
	body, err := json.Marshal(a)
	return string(body), err
}

// Masked returns a copy of an ask without its input and without secrets, as it is
// kept when it has ended; what a shares with its caller stays as it is.
func (s *Store) Masked(a ask.Ask) ask.Ask {
	a.Input = nil
	a.Action = s.maskAction(a.Action)
	d := &a.Decision
	for _, p := range []*string{&a.SubAgent, &d.Reason, &d.Message, &d.SuggestionsNote} {
		*p = s.masker.Text(*p)
	}
	a.Changed, a.Targets = slices.Clone(a.Changed), slices.Clone(a.Targets)
	d.Trace, d.Suggestions = slices.Clone(d.Trace), slices.Clone(d.Suggestions)
	for i := range a.Changed {
		a.Changed[i] = s.masker.Text(a.Changed[i])
	}
	for i := range a.Targets {
		t := &a.Targets[i]
		t.Value, t.Error = s.masker.Text(t.Value), s.masker.Text(t.Error)
	}
	for i := range d.Trace {
		d.Trace[i].Saw = s.masker.Text(d.Trace[i].Saw)
	}
	for i := range d.Suggestions {
		g := &d.Suggestions[i]
		g.Content, g.Description = s.maskContent(g.Content), s.masker.Text(g.Description)
	}
	if d.Rule != nil {
		rule := *d.Rule
		rule.Content, rule.Match, rule.NotMatch = s.maskContent(rule.Content), nil, nil
		d.Rule = &rule
	}
	if a.Answer != nil {
		answer := *a.Answer
		answer.Reason = s.masker.Text(answer.Reason)
		a.Answer = &answer
	}
	return a
}

func (s *Store) maskContent(content *string) *string {
	if content == nil {
		return nil
	}
	masked := s.masker.Text(*content)
	return &masked
}
