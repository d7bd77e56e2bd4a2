package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// denyStep is step 1: the gate's own protection, the tool lists, the profile, and the deny rules of
// this tool and of the tools owning the call's targets.
func (w *walk) denyStep() (Decision, bool) {
	if w.req.Protected != "" {
		return w.protect(), true
	}
	if d, decided := w.listStep(); decided {
		return d, true
	}
	if p := w.req.Profile; p != nil && p.Behavior != Ask && p.Behavior != Allow {
		return w.profileHit(Deny), true
	}
	if d, decided := w.ruleStep(StageDenyRule, Deny); decided {
		return d, true
	}
	w.note(StageDenyRule, count(w.rules[Deny]), "no match")
	return Decision{}, false
}

// askStep is step 2.
func (w *walk) askStep() (Decision, bool) {
	d, decided := w.ruleStep(StageAskRule, Ask)
	if decided {
		return d, true
	}
	w.note(StageAskRule, count(w.rules[Ask]), "no match")
	p := w.req.Profile
	switch {
	case p == nil:
	case p.Behavior == Ask:
		return w.profileHit(Ask), true
	default:
		w.note(StageProfile, profileReason(p), "go on")
	}
	return Decision{}, false
}

// allowStep is step 4. Rules of other tools never allow, but for searches: see matchReads.
func (w *walk) allowStep() (Decision, bool) {
	rule, err := match(w.ctx, w.req.Entry, w.call, Allow, w.possible(Allow))
	if rule == nil && err == nil {
		rule, err = w.matchReads()
	}
	switch {
	case err != nil:
		return w.fail(CodeToolError, "match_rule for allow rules", err), true
	case rule != nil:
		w.note(StageAllowRule, rule.String(), "allow")
		return Decision{Behavior: Allow, Stage: StageAllowRule, Code: CodeRuleMatched, Rule: rule.clone(), Reason: ruleReason(rule)}, true
	}
	w.note(StageAllowRule, count(w.rules[Allow]), "no match")
	return Decision{}, false
}

// listStep applies disallowed_tools, allowed_tools and the active skills, in
// every mode. Source: docs/seeds.md, "Deny-first ordering".
func (w *walk) listStep() (Decision, bool) {
	lists, mode := w.req.Lists, w.mode
	lifted := lists.IgnoreDenylist && mode == Trusted
	if w.named(lists.Disallowed) && !lifted {
		return w.listHit(CodeDisallowed, w.call.Tool+" is on disallowed_tools", nil), true
	}
	for _, c := range lists.Children {
		if w.named(c.Disallowed) {
			return w.listHit(CodeDisallowed, fmt.Sprintf("%s is on disallowed_tools of the sub-agent %q", w.call.Tool, c.Name), nil), true
		}
	}
	if lists.Allowed != nil && !w.listed(lists.Allowed) {
		return w.listHit(CodeNotInAllowlist, w.call.Tool+" is not on allowed_tools", lists.Allowed), true
	}
	for _, c := range lists.Children {
		if c.Allowed != nil && !w.listed(c.Allowed) {
			return w.listHit(CodeNotInAllowlist, fmt.Sprintf("%s is not on allowed_tools of the sub-agent %q", w.call.Tool, c.Name), c.Allowed), true
		}
	}
	for _, skill := range sortedKeys(lists.Skills) {
		if tools := lists.Skills[skill]; tools != nil && !w.listed(tools) {
			return w.listHit(CodeSkill, fmt.Sprintf("the active skill %q does not allow %s", skill, w.call.Tool), tools), true
		}
	}
	return Decision{}, false
}

// protect denies a call that would approve, change rules or configuration, or stop the gate. No
// list, rule, profile or mode counts. docs/security.md, "The two levels".
func (w *walk) protect() Decision {
	w.note(StageDenyRule, "self-protection: "+w.req.Protected, "deny")
	return Decision{
		Stage: StageDenyRule, Code: CodeSelfProtection,
		Reason: w.req.Protected + "; Callgate protects its own files and processes: only a person can do this, outside the agent session",
	}
}

// listHit denies a tool by a list. permitted is the list's content.
func (w *walk) listHit(code, reason string, permitted []string) Decision {
	w.note(StageDenyRule, reason, "deny")
	return Decision{Stage: StageDenyRule, Code: code, Reason: reason, Permitted: slices.Clone(permitted)}
}

// named reports whether a list names the tool.
func (w *walk) named(list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return meansName(entry, w.names) || meansServer(entry, w.call.Tool) })
}

// listed reports whether an allowing list names the tool. Only stars name nothing there: a list for
// every tool would be no list.
func (w *walk) listed(list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return strings.Trim(entry, "*") != "" && (w.req.Entry.permits(entry, w.names) || wholeServer(entry, w.call))
	})
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ruleStep matches the deny or ask rules of the call's own tool, then those of the tools owning its
// targets. An untried rule counts as matched, at stage error. The search ends at the first rule
// outside a project's file, because only such a rule may decide by itself.
func (w *walk) ruleStep(stage Stage, b Behavior) (Decision, bool) {
	rule, err := w.matchOwn(b)
	does := ""
	for _, rel := range w.req.Related {
		if rule != nil && !rule.onlyTightens() {
			break
		}
		other, otherErr := w.matchRelated(rel, b)
		if other != nil && (rule == nil || !other.onlyTightens()) {
			rule, err, does = other, otherErr, rel.Does
		}
	}
	if rule == nil || rule.onlyTightens() {
		if other, said := w.matchEffects(b); other != nil && (rule == nil || !other.onlyTightens()) {
			rule, err, does = other, nil, said
		}
	}
	if rule == nil {
		return Decision{}, false
	}
	return w.ruleHit(stage, b, rule, does, err), true
}

// matchOwn tries the rules of the call's own tool. When the host could not prepare the call, rules
// with a content count as matched.
func (w *walk) matchOwn(b Behavior) (*Rule, error) {
	rule, err := match(w.ctx, w.req.Entry, w.call, b, w.possible(b))
	if rule == nil && w.req.Err != nil {
		return firstContent(w.rules[b]), w.req.Err
	}
	return rule, err
}

// possible are the rules of a behavior without those that the module's words rule out: a question to
// the module costs as much as two lists of words. After an error untried rules count as matched.
func (w *walk) possible(b Behavior) []*Rule {
	words, rules := w.req.Words, w.rules[b]
	if words == nil || cmp.Or(w.req.Err, w.req.Entry.Err) != nil {
		return rules
	}
	ruledOut := func(r *Rule) bool { return !r.WholeTool() && !words.Name(b, *r.Content) }
	if !slices.ContainsFunc(rules, ruledOut) {
		return rules
	}
	return slices.DeleteFunc(slices.Clone(rules), ruledOut)
}

// firstContent returns the first rule with a content for the tool, preferably one outside a
// project's file.
func firstContent(rules []*Rule) *Rule {
	_, withContent := split(rules)
	return firstOf(firstOwn(withContent), withContent)
}

// matchRelated tries the rules of the tool owning one target.
func (w *walk) matchRelated(rel Related, b Behavior) (*Rule, error) {
	var room [8]string
	all := rulesOf(w.req.Rules, rel.Entry, nil, rel.Entry.appendNames(room[:0], ""))
	rules := all[b]
	if b == Ask && rel.Wide {
		rules = slices.Concat(rules, tightening(all[Deny]))
	}
	if len(rules) == 0 {
		return nil, nil
	}
	if rel.Unknown {
		return firstOf(firstOwn(rules), rules), nil
	}
	return match(w.ctx, rel.Entry, rel.Call, b, rules)
}

// tightening are deny rules as asking rules: in place of an allow or an ask, never of a denial.
func tightening(rules []*Rule) []*Rule {
	out := make([]*Rule, len(rules))
	for i, r := range rules {
		out[i] = r.clone()
		out[i].OnlyTightens = true
	}
	return out
}

// ruleHit is the answer of a matched deny or ask rule. An error at the ask step is the mode's error
// row; at the deny step it denies. does is the call's action on another tool's target; empty for a
// rule of its own tool.
func (w *walk) ruleHit(stage Stage, b Behavior, rule *Rule, does string, err error) Decision {
	if err != nil {
		d := w.fail(CodeToolError, fmt.Sprintf("match_rule for %s rules", b), err)
		if b == Deny {
			d.Behavior = Deny
		}
		d.Rule = rule.clone()
		return d
	}
	d := Decision{Behavior: b, Stage: stage, Code: CodeRuleMatched, Rule: rule.clone(), Reason: ruleReason(rule)}
	if does != "" {
		d.Reason += ": the call " + does
	}
	if rule.Behavior != b && !IsEffectName(rule.Tool) {
		d.Reason = "it may reach more than it names, including denied files or hosts: " + d.Reason
	}
	if b == Ask && w.mode == DontAsk {
		d.Behavior, d.ConvertedBy, d.ConvertedFrom = Deny, DontAsk.String(), stage
	}
	w.note(stage, rule.String(), d.Behavior.String())
	return d
}

// profileHit is a profile's denial, or its ask. The ask only tightens. A profile is a ceiling: an
// allowed call goes on to the rest of the table and is decided there as without a profile.
// RATIONALE.md, "What does a profile do in the table?".
func (w *walk) profileHit(b Behavior) Decision {
	reason := profileReason(w.req.Profile)
	d := Decision{Behavior: b, Stage: StageProfile, Code: CodeProfile, Reason: reason}
	if b == Ask && w.mode == DontAsk {
		d.Behavior, d.ConvertedBy, d.ConvertedFrom = Deny, DontAsk.String(), StageProfile
	}
	w.note(StageProfile, reason, d.Behavior.String())
	return d
}

// profileReason names the profile, and the deciding action and pattern.
func profileReason(p *ProfileAnswer) string {
	switch {
	case p.Note != "":
		return fmt.Sprintf("profile %s: %s", p.Name, p.Note)
	case p.Pattern == "":
		return fmt.Sprintf("profile %s: no pattern matches %s", p.Name, p.Action)
	}
	return fmt.Sprintf("profile %s: %s matches %s", p.Name, p.Action, p.Pattern)
}

// ruleReason names the rule. No free text of a project's file reaches the model or the card (threat
// T03), so its rules appear by tool alone.
func ruleReason(r *Rule) string {
	if r.Source == SourceProjectFile {
		return fmt.Sprintf("%s rule for %s in the project's file", r.Behavior, r.Tool)
	}
	return cmp.Or(r.Reason, r.Behavior.String()+" rule "+r.String())
}

func count(rules []*Rule) string { return strconv.Itoa(len(rules)) + " rules" }
