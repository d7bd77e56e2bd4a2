package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// Decide answers one call: deny rules, ask rules, tool checks, allow rules, mode, in that order;
// then it turns asks without a possible approver into denials and proves suggestions for the rest.
// It never panics on a tool's answer and returns Deny for a request without a call or a tool.
//
// The order and every cell are those of the package comment's table. It unifies the five flowcharts
// of docs/seeds.md, "AgentScope: permission system", with the other systems.
func Decide(ctx context.Context, req Request) Decision {
	if req.Call == nil || (req.Entry.Tool == nil && req.Entry.Err == nil) {
		return Decision{Stage: StageError, Code: CodeHostError, Reason: "no call to check", Message: "The call was denied because it names no tool."}
	}
	w := newWalk(ctx, req)
	d := w.unchanged(w.settled(w.table()))
	d = convert(w, d)
	if d.Behavior == Ask {
		d.Server = w.call.identity()
		w.suggest(&d)
	}
	w.locate(&d)
	d.Message = message(req.Call.Tool, d)
	d.Trace = w.trace
	return d
}

// table walks the steps. Each step either decides or passes on.
func (w *walk) table() Decision {
	if d, decided := w.denyStep(); decided {
		return d
	}
	if w.req.Err != nil {
		return w.fail(CodeHostError, "prepare the call", w.req.Err)
	}
	if w.req.Entry.Err != nil {
		return w.fail(CodeToolError, "load the tool", w.req.Entry.Err)
	}
	ask, decided := w.askStep()
	if decided && !ask.onlyTightens() {
		if ask.Behavior == Ask {
			ask.SafetyCheck, ask.SafetyReason = w.safetyBehind()
		}
		return ask
	}
	d := w.rest()
	if decided && d.Behavior != Deny {
		// It may only tighten: its ask replaces an allow or ask from the rest of the table, never a
		// denial, and a hidden safety check stays immune.
		w.note(StageAskRule, ask.tightener(), "tightens "+d.Behavior.String()+" to "+ask.Behavior.String())
		if ask.Behavior == Ask && d.BypassImmune {
			ask.BypassImmune, ask.SafetyReason = true, d.SafetyWords()
		}
		return ask
	}
	return d
}

// safetyBehind reports whether an ask rule hides a safety check, and the tool's words about it. The
// check has approvers of its own (ask_approvers), and an ask rule only tightens. In the modes
// without safety checks it reports false.
func (w *walk) safetyBehind() (hidden bool, reason string) {
	if w.mode == Bypass || w.mode == Trusted {
		return false, ""
	}
	v, err := w.req.Entry.Tool.CheckPermissions(w.ctx, w.call)
	switch {
	case err != nil:
		w.note(StageToolCheck, "check_permissions failed: "+err.Error(), "a safety check, for all that is known")
	case v.Behavior == Ask && v.BypassImmune:
		w.note(StageToolCheck, join("ask, bypass immune", v.Reason), "a safety check besides")
		return true, cmp.Or(v.Reason, v.Message)
	default:
		return false, ""
	}
	return true, ""
}

// settled withdraws an allow of a call with unsettled targets.
func (w *walk) settled(d Decision) Decision {
	if w.req.Unsettled == "" || d.Behavior != Allow {
		return d
	}
	d = Decision{Behavior: w.errorRow(), Stage: StageError, Code: CodeUnsettled, Reason: w.req.Unsettled}
	w.note(StageError, d.Reason, d.Behavior.String())
	return d
}

// unchanged makes sure a changed shell never loosens: the tool knows which parts of a call depend
// on the shell's state, so it also answers without this state, and the stricter answer counts.
// RATIONALE.md, "Why is a call in a changed shell decided twice?".
func (w *walk) unchanged(d Decision) Decision {
	changed := w.call.Context.ShellChanged
	if len(changed) == 0 || d.Behavior == Deny {
		return d
	}
	req, call := w.req, *w.call
	call.Context.ShellChanged = nil
	req.Call = &call
	fresh := newWalk(w.ctx, req)
	before := fresh.settled(fresh.table())
	safe, immune := before.SafetyCheck || d.SafetyCheck, before.BypassImmune || d.BypassImmune
	words := cmp.Or(d.SafetyWords(), before.SafetyWords())
	switch {
	case before.Behavior < d.Behavior:
		w.note(StageToolCheck, "the shell as it was at first", before.Behavior.String())
		return before
	case before.Behavior == d.Behavior && before.byAskRule() && !d.byAskRule():
		// A rule's ask may still become a denial, in a session taken up again.
		w.note(StageAskRule, "the shell as it was at first", before.Behavior.String())
		d = before
	case before.Behavior == d.Behavior && before.Safety() && !d.Safety() && !d.byAskRule():
		w.note(StageToolCheck, "the shell as it was at first", before.Behavior.String())
		d = before
	case before.Code == CodeUnsettled && d.Behavior == before.Behavior && d.Stage == StageMode:
		d = before // it says why, and that no rule helps
	case before.Behavior == Allow && d.Behavior == Ask && d.Stage == StageMode:
		d.Code = CodeShellChanged
		d.Reason = fmt.Sprintf("an earlier call of this session changed the shell's %s, so allow rules do not apply to this one until the session is cleared", strings.Join(changed, " and "))
	}
	d.SafetyCheck, d.BypassImmune = safe, immune
	return d.withSafetyWords(words)
}

// rest is steps 3 to 5.
func (w *walk) rest() Decision {
	switch w.mode {
	case Explore:
		return w.exploreStep()
	case AcceptEdits:
		if d, decided := w.readOnlyStep(); decided {
			return d
		}
	}
	if d, decided := w.checkStep(); decided {
		return d
	}
	if d, decided := w.allowStep(); decided {
		return d
	}
	if d, decided := w.trustStep(); decided {
		return d
	}
	return w.modeStep()
}

// exploreStep allows read-only calls and denies everything else; the tool's own check and the allow
// rules are not consulted.
func (w *walk) exploreStep() Decision {
	d, decided := w.readOnlyStep()
	if decided {
		return d
	}
	w.note(StageMode, "mode explore", "deny")
	return Decision{Stage: StageReadOnly, Code: CodeMutation, Reason: join("mode explore allows only read-only calls", w.changes)}
}

// readOnlyStep is step 3a. Only a granted "true" decides, or an error.
func (w *walk) readOnlyStep() (Decision, bool) {
	ro, err := w.req.Entry.Tool.CheckReadOnly(w.ctx, w.call)
	switch {
	case err != nil:
		return w.fail(CodeToolError, "check_read_only", err), true
	case ro.ReadOnly && !w.req.Entry.MayReadOnly:
		w.note(StageReadOnly, "true, but the operator did not grant may_read_only", "go on")
	case ro.ReadOnly:
		w.note(StageReadOnly, "true", "allow")
		return Decision{Behavior: Allow, Stage: StageReadOnly, Code: CodeReadOnly, Reason: cmp.Or(ro.Reason, "changes nothing")}, true
	default:
		w.changes = ro.Reason
		w.note(StageReadOnly, join("false", ro.Reason), "go on")
	}
	return Decision{}, false
}

// checkStep is step 3b.
func (w *walk) checkStep() (Decision, bool) {
	v, err := w.req.Entry.Tool.CheckPermissions(w.ctx, w.call)
	if err != nil {
		return w.fail(CodeToolError, "check_permissions", err), true
	}
	switch v.Behavior {
	case Deny:
		w.note(StageToolCheck, join("deny", v.Reason), "deny")
		return Decision{Stage: StageToolCheck, Code: CodeToolDeny, Reason: cmp.Or(v.Reason, v.Message, "the tool denies this call")}, true
	case Allow:
		if !w.req.Entry.MayAllow {
			w.note(StageToolCheck, "allow, but the operator did not grant may_allow", "go on")
			return Decision{}, false
		}
		w.note(StageToolCheck, join("allow", v.Reason), "allow")
		return Decision{Behavior: Allow, Stage: StageToolCheck, Code: CodeToolAllow, Reason: cmp.Or(v.Reason, "the tool allows this call")}, true
	case Ask:
		return w.toolAsk(v)
	case Passthrough:
		w.note(StageToolCheck, join("passthrough", v.Reason), "go on")
		return Decision{}, false
	}
	return w.fail(CodeToolError, "check_permissions", fmt.Errorf("unknown behavior %d", v.Behavior)), true
}

// toolAsk is the two "ask" rows of the table: bypass skips safety checks on
// purpose, dont_ask turns every ask into a denial, the rest honour immune ones.
func (w *walk) toolAsk(v Verdict) (Decision, bool) {
	saw, code := "ask", CodeToolAsk
	if v.BypassImmune {
		saw, code = "ask, bypass immune", CodeSafety
	}
	saw = join(saw, v.Reason)
	reason := cmp.Or(v.Reason, v.Message, "the tool asks for approval")
	switch {
	case w.mode == DontAsk:
		w.note(StageToolCheck, saw, "deny")
		return Decision{Stage: StageToolCheck, Code: code, Reason: reason, ConvertedBy: DontAsk.String(), ConvertedFrom: StageToolCheck}, true
	case v.BypassImmune && w.mode != Bypass && w.mode != Trusted:
		w.note(StageToolCheck, saw, "ask")
		return Decision{Behavior: Ask, Stage: StageToolCheck, Code: code, Reason: reason, BypassImmune: true}, true
	}
	w.note(StageToolCheck, saw, "go on")
	w.askReason = reason
	return Decision{}, false
}

// modeStep is step 5: the mode decides a call still undecided.
func (w *walk) modeStep() Decision {
	d := Decision{Stage: StageMode, Code: CodeModeAsk, Behavior: Ask}
	switch w.mode {
	case Bypass, Trusted:
		d.Behavior, d.Code = Allow, CodeModeAllow
		d.Reason = "mode " + w.mode.String() + " allows calls that no rule denies"
	case DontAsk:
		d.Behavior, d.Code = Deny, CodeModeDeny
		d.Reason = cmp.Or(w.serverDoubt(), "mode dont_ask denies calls without an allow rule")
	default:
		if doubt := w.serverDoubt(); doubt != "" && w.askReason == "" {
			d.Code, d.Reason = CodeServer, doubt
			break
		}
		d.Reason = cmp.Or(w.askReason, "no rule allows this call and mode "+w.mode.String()+" asks")
	}
	w.note(StageMode, "mode "+w.mode.String(), d.Behavior.String())
	return d
}

// fail is the error row of the table: a human decides, or the call is denied in a mode without one.
func (w *walk) fail(code, doing string, err error) Decision {
	d := Decision{Behavior: w.errorRow(), Stage: StageError, Code: code, Reason: fmt.Sprintf("%s failed: %v", doing, err)}
	w.note(StageError, d.Reason, d.Behavior.String())
	return d
}

func (w *walk) errorRow() Behavior {
	if w.mode == Explore || w.mode == DontAsk {
		return Deny
	}
	return Ask
}

// withSafetyWords keeps the tool's words about a safety check with an ask of another step.
func (d Decision) withSafetyWords(words string) Decision {
	if d.Behavior == Ask && d.Safety() && d.SafetyWords() == "" {
		d.SafetyReason = words
	}
	return d
}

// onlyTightens reports whether the decision rests on a profile, or on a rule without a decision of
// its own.
func (d Decision) onlyTightens() bool {
	return d.Stage == StageProfile || d.Rule != nil && d.Rule.onlyTightens()
}

// tightener names the ask's cause, for the trace.
func (d Decision) tightener() string {
	switch {
	case d.Rule == nil:
		return "profile"
	case d.fromProjectFile():
		return "project file rule " + d.Rule.String()
	}
	return "rule " + d.Rule.String()
}

// fromProjectFile reports whether the decision rests on a rule of a project's
// own file.
func (d Decision) fromProjectFile() bool {
	return d.Rule != nil && d.Rule.Source == SourceProjectFile
}
