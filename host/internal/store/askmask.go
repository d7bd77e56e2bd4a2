package store

import (
	"encoding/json"
	"slices"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// askBody is the stored form of an ask. An ended one keeps no raw input, even if the caller left
// one, and its other texts hide secrets as the audit does, because they quote the input.
func (s *Store) askBody(a ask.Ask) (string, error) {
	if !a.State.Waiting() {
		a = s.Masked(a)
	}
	body, err := json.Marshal(a)
	return string(body), err
}

// Masked returns a copy of an ask without its input and without secrets, in the form of an ended
// one; data shared with the caller stays as it is.
func (s *Store) Masked(a ask.Ask) ask.Ask {
	secrets := mask.Secrets(a.Action)
	hide := func(text string) string { return s.masker.Known(text, secrets) }
	a.Input, a.Action = nil, s.maskAction(a.Action)
	d := &a.Decision
	for _, p := range []*string{&a.SubAgent, &d.Reason, &d.SafetyReason, &d.Message, &d.SuggestionsNote} {
		*p = hide(*p)
	}
	a.Changed, a.Targets, d.Offending = slices.Clone(a.Changed), slices.Clone(a.Targets), slices.Clone(d.Offending)
	for i := range d.Offending {
		d.Offending[i] = hide(d.Offending[i])
	}
	d.Trace, d.Suggestions = slices.Clone(d.Trace), slices.Clone(d.Suggestions)
	for i := range a.Changed {
		a.Changed[i] = hide(a.Changed[i])
	}
	for i := range a.Targets {
		t := &a.Targets[i]
		t.Value, t.Resolved, t.Lexical, t.Error = hide(t.Value), hide(t.Resolved), hide(t.Lexical), hide(t.Error)
	}
	a.Effects = slices.Clone(a.Effects)
	for i := range a.Effects {
		e := &a.Effects[i]
		e.Value, e.Resolved = hide(e.Value), hide(e.Resolved)
	}
	for i := range d.Trace {
		d.Trace[i].Saw = hide(d.Trace[i].Saw)
	}
	for i := range d.Suggestions {
		g := &d.Suggestions[i]
		g.Content, g.Description, g.NearMisses = maskContent(hide, g.Content), hide(g.Description), nil
	}
	if d.Rule != nil {
		rule := *d.Rule
		rule.Content, rule.Match, rule.NotMatch = maskContent(hide, rule.Content), nil, nil
		d.Rule = &rule
	}
	if a.Answer != nil {
		answer := *a.Answer
		answer.Reason, answer.Proof = hide(answer.Reason), nil // the audit has the proof
		a.Answer = &answer
	}
	a.Votes = slices.Clone(a.Votes)
	for i := range a.Votes {
		a.Votes[i].Reason, a.Votes[i].Proof = hide(a.Votes[i].Reason), nil
	}
	return a
}

func maskContent(hide func(string) string, content *string) *string {
	if content == nil {
		return nil
	}
	masked := hide(*content)
	return &masked
}
