package engine

import (
	"cmp"
	"fmt"
)

// convert turns an ask without a possible approver into a denial.
func convert(w *walk, d Decision) Decision {
	if d.Behavior != Ask {
		return d
	}
	c := w.call.Context
	switch {
	case c.Kind == Background:
		d = d.withdraw(CodeBackground, "a background session may not ask: "+d.Reason)
	case c.Resumed && d.byAskRule() && (c.Approver == "" || w.req.ResumeAsks == "deny"):
		d = d.withdraw(CodeResumed, resumedReason(d))
	default:
		return d
	}
	w.note("convert", d.ConvertedBy, "deny")
	return d
}

// withdraw makes a denial of an ask.
func (d Decision) withdraw(by, reason string) Decision {
	d.ConvertedFrom, d.ConvertedBy = d.Stage, by
	d.Behavior, d.BypassImmune, d.SafetyCheck, d.SafetyReason = Deny, false, false, ""
	d.Suggestions, d.SuggestionsNote = nil, ""
	d.Reason = reason
	return d
}

// byAskRule reports whether an ask rule asks: one that matched, one counted as matched because it
// could not be tried, or the profile, because its ask counts as an ask rule's.
func (d Decision) byAskRule() bool {
	return d.Stage == StageAskRule || d.Stage == StageProfile || (d.Stage == StageError && d.Rule != nil)
}

// resumedReason names the needed change; a project's file appears by tool alone.
func resumedReason(d Decision) string {
	if d.Rule == nil || d.fromProjectFile() {
		return "a resumed session may not ask: " + d.Reason
	}
	return fmt.Sprintf("ask rule %s in a resumed session: remove it and add the allow rule %s", d.Rule, d.Rule)
}

// NoApprover converts an ask when no surface can show it to anybody. how tells
// the person how to attach one.
func NoApprover(d Decision, tool, how string) Decision {
	if d.Behavior != Ask {
		return d
	}
	d = d.withdraw(CodeNoApprover, "no approver is connected: "+d.Reason+"; "+how)
	d.Trace = append(d.Trace, Step{Step: "convert", Saw: CodeNoApprover, Result: "deny"})
	d.Message = message(tool, d)
	return d
}

// CallbackAnswer is a callback approver's answer. Source: docs/seeds.md, "`can_use_tool` callback
// contract".
type CallbackAnswer struct {
	// Behavior is Allow or Deny; anything else is unexpected.
	Behavior Behavior
	// Reason goes to the model with a denial; empty means "denied by callback".
	Reason string
	// Unexpected is a value other than allow, deny, deny with reason; it denies and is named.
	Unexpected string
	// Failed says why there is no answer; it denies and is named.
	Failed string
}

// ApplyCallback answers an ask with a callback approver's value. Only an ask
// is ever put to a callback; other decisions come back unchanged.
func ApplyCallback(d Decision, tool string, a CallbackAnswer) Decision {
	if d.Behavior != Ask {
		return d
	}
	asked := d.Stage
	switch {
	case a.Failed != "":
		d = d.withdraw(CodeCallback, "the callback approver gave no answer: "+a.Failed)
	case a.Unexpected != "":
		d = d.withdraw(CodeCallback, "unexpected callback result "+a.Unexpected+", want allow, deny, or deny with a reason")
	case a.Behavior == Allow:
		d.Behavior, d.BypassImmune, d.SafetyCheck, d.ConvertedBy, d.ConvertedFrom = Allow, false, false, CodeCallback, asked
		d.SafetyReason = ""
		d.Suggestions, d.SuggestionsNote, d.Reason = nil, "", "allowed by the callback approver"
	default:
		d = d.withdraw(CodeCallback, cmp.Or(a.Reason, "denied by callback"))
	}
	d.Trace = append(d.Trace, Step{Step: "callback", Saw: d.Reason, Result: d.Behavior.String()})
	d.Message = message(tool, d)
	return d
}
