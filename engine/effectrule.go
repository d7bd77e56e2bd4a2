package engine

import (
	"path"
	"slices"
	"strings"
)

// effectMatch tells how a rule about an effect fits a call.
type effectMatch int

const (
	effectNone     effectMatch = iota
	effectPossible             // the call may have the effect: it is over-approximated, or cannot be known
	effectCertain              // the call has the effect
)

// effectRulesOf selects the rules about effects. Rules that would allow by one are
// dropped.
func effectRulesOf(rules []Rule) (set ruleSet) {
	for i := range rules {
		if r := &rules[i]; IsEffectName(r.Tool) && (r.Behavior == Deny || r.Behavior == Ask) {
			set[r.Behavior] = append(set[r.Behavior], r)
		}
	}
	return set
}

// matchEffects finds the rule about an effect that decides at a step, and says what the
// call does. A deny rule denies only what is certain. At the ask step a rule asks in place
// of an allow or an ask, never of a denial, in any source: an effect does not loosen.
// RATIONALE.md, "What may an effect decide?".
func (w *walk) matchEffects(b Behavior) (rule *Rule, does string) {
	rules, least := w.effectRules[Deny], effectCertain
	if b == Ask {
		rules, least = slices.Concat(w.effectRules[Ask], rules), effectPossible
	}
	for _, r := range rules {
		how, said := w.effectOf(r)
		if how < least {
			continue
		}
		if b == Ask {
			r = r.clone()
			r.OnlyTightens = true
		}
		return r, said
	}
	return nil, ""
}

// effectOf is how a rule about an effect fits the call, and what the call does.
func (w *walk) effectOf(r *Rule) (best effectMatch, does string) {
	kind := effectKind(r.Tool)
	for _, e := range w.req.Effects {
		how := effectNone
		switch {
		case e.Kind == Runs && e.Value == Unreadable && kind != Runs:
			how = effectPossible // it may have every effect
		case e.Kind == kind:
			how = e.fits(r, w.call.Context)
		}
		if how == effectCertain && !e.Certain {
			how = effectPossible
		}
		if how > best {
			best, does = how, e.Words()
		}
	}
	if best == effectNone && w.untold(kind) {
		return effectPossible, "cannot be checked for effects: its module does not report them"
	}
	return best, does
}

// untold reports whether the call may have effects of the kind that are not among those
// of the request. Of a module that says none, targets tell files that are shown and
// hosts that are reached.
func (w *walk) untold(kind EffectKind) bool {
	if w.req.Err != nil {
		return true
	}
	told := kind == Shows || kind == Secret || kind == Configures || kind == Reaches
	return w.req.EffectsUnsaid && (!told || w.call.Context.TargetsUnknown)
}

// fits compares the rule's pattern with the value, and with the forms of a path.
func (e Effect) fits(r *Rule, c Context) effectMatch {
	if r.WholeTool() {
		return effectCertain
	}
	pattern := strings.ToLower(*r.Content)
	for _, form := range e.forms(c) {
		if matchText(pattern, strings.ToLower(form)) {
			return effectCertain
		}
		if e.below(pattern, strings.ToLower(form)) {
			return effectPossible
		}
	}
	return effectNone
}

// forms are the texts by which a pattern may name the value.
func (e Effect) forms(c Context) []string {
	forms := []string{e.Value}
	if !e.IsPath() {
		return forms
	}
	forms = append(forms, path.Clean(e.Value))
	if e.Resolved == "" {
		return forms
	}
	forms = append(forms, e.Resolved)
	for _, dir := range append([]string{c.ProjectRoot, c.CWD}, c.WorkingDirectories...) {
		if rest, ok := strings.CutPrefix(e.Resolved, strings.TrimSuffix(dir, "/")+"/"); ok && dir != "" {
			forms = append(forms, rest)
		}
	}
	if rest, ok := strings.CutPrefix(e.Resolved, strings.TrimSuffix(c.Home, "/")+"/"); ok && c.Home != "" {
		forms = append(forms, "~/"+rest)
	}
	return slices.Compact(forms)
}

// below reports whether a path that stands for many may hold what the pattern names.
func (e Effect) below(pattern, form string) bool {
	if !e.IsPath() || e.How == "" && !strings.ContainsAny(e.Value, "*?[{") && form != "." {
		return false
	}
	literal, _, wild := strings.Cut(strings.ReplaceAll(form, "?", "*"), "*")
	if !wild {
		literal += "/"
	}
	return form == "." || form == "/" || strings.HasPrefix(pattern, "*") || strings.HasPrefix(pattern, literal)
}

// matchText reports whether a text is what a pattern says, in which "*" stands for any
// text and "?" for one character.
func matchText(pattern, text string) bool {
	ok, err := path.Match(escapeClasses(pattern), strings.ReplaceAll(text, "/", "\x00"))
	return err == nil && ok
}
