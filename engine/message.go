package engine

import (
	"fmt"
	"slices"
	"strings"
)

// The bounds of quotes in a message: of an offending part, in bytes, and of allowed alternatives,
// in entries.
const (
	maxOffending = 300
	maxPermitted = 8
)

// message is the text for the model: the outcome, the reason, the offending part, allowed
// alternatives, and what to do after a denial. An allow needs none.
func message(tool string, d Decision) string {
	var verb string
	switch d.Behavior {
	case Deny:
		verb = "was denied"
	case Ask:
		verb = "is waiting for approval"
	default:
		return ""
	}
	text := fmt.Sprintf("%s %s: %s", tool, verb, strings.TrimRight(d.Reason, ". \n"))
	if d.Behavior == Deny && d.ConvertedBy == DontAsk.String() {
		text += ", and mode dont_ask never asks"
	}
	if len(d.Offending) > 0 {
		parts := make([]string, len(d.Offending))
		for i, part := range d.Offending {
			parts[i] = quoted(part)
		}
		text += "; no rule covers " + enumerate(parts)
	}
	if d.Behavior == Deny && d.Permitted != nil {
		text += "; " + permitted(d)
	}
	return text + "." + advice(d)
}

// advice says whether to retry a denied call.
func advice(d Decision) string {
	switch {
	case d.Behavior != Deny:
		return ""
	case d.Stage == StageError && d.ConvertedBy != CodeCallback:
		return " Do not retry it; tell the user."
	case len(d.Permitted) > 0:
		return " Do not retry it unchanged."
	}
	return " Do not retry it: do something else, or ask the user."
}

// WithoutOffending is the decision on a call of the tool with a message without quotes from the
// call.
func (d Decision) WithoutOffending(tool string) Decision {
	d.Offending = nil
	d.Message = message(tool, d)
	return d
}

// permitted lists allowed alternatives.
func permitted(d Decision) string {
	switch {
	case len(d.Permitted) == 0:
		return "no tool is allowed"
	case d.Stage == StageDenyRule:
		return "allowed tools are " + enumerate(d.Permitted)
	}
	return "allowed patterns are " + enumerate(d.Permitted)
}

// enumerate writes the first entries of a list.
func enumerate(list []string) string {
	if more := len(list) - maxPermitted; more > 0 {
		return strings.Join(list[:maxPermitted], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(list, ", ")
}

// quoted sets a part of a call off from the sentence.
func quoted(part string) string {
	if len(part) > maxOffending {
		part = strings.ToValidUTF8(part[:maxOffending], "") + "…"
	}
	if strings.ContainsAny(part, "`\n\r") {
		return fmt.Sprintf("%q", part)
	}
	return "`" + part + "`"
}

// locate adds to a decision of the mode the parts without a rule, and the existing allow rules for
// the tool.
func (w *walk) locate(d *Decision) {
	if w.askReason != "" || !(d.Code == CodeModeAsk || d.Code == CodeModeDeny) {
		return
	}
	suggestions := d.Suggestions
	if d.Behavior == Deny {
		// Nothing is offered with a denial; the proposals still tell the parts apart.
		other := *d
		newWalk(w.ctx, w.req).suggest(&other)
		suggestions = other.Suggestions
		d.Permitted = w.permits()
	}
	d.Offending = uncovered(suggestions)
}

// uncovered are the parts the first set's rules would cover, as they stand in the call where the
// tool says so.
func uncovered(suggestions []Suggestion) []string {
	var parts []string
	for _, s := range suggestions {
		part := s.Covers
		if part == "" && s.Content != nil {
			part = *s.Content
		}
		if s.Set == suggestions[0].Set && part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// permits are the texts of the allow rules for the tool; nil when there are none.
func (w *walk) permits() []string {
	var texts []string
	for _, r := range w.rules[Allow] {
		if !slices.Contains(texts, r.String()) {
			texts = append(texts, r.String())
		}
	}
	return texts
}
