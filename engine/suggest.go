package engine

import (
	"fmt"
	"slices"
	"strings"
)

// maxSuggestions bounds how many proposals of a tool are tried.
const maxSuggestions = 16

// suggest adds to d the rules to let this very call run next time, each proven by deciding again
// with it.
func (w *walk) suggest(d *Decision) {
	if w.req.Bare {
		return
	}
	if d.SuggestionsNote = w.helpless(*d); d.SuggestionsNote != "" {
		return
	}
	name, err := w.ruleName()
	if err != nil {
		d.SuggestionsNote = fmt.Sprintf("no suggestions: %v", err)
		return
	}
	proposals, err := w.proposals(name)
	if err != nil {
		d.SuggestionsNote = fmt.Sprintf("no suggestions: generate_suggestions failed: %v", err)
		return
	}
	var together []Suggestion
	for _, s := range proposals[:min(len(proposals), maxSuggestions)] {
		if w.known(s) {
			continue
		}
		if w.allowedWith(s) {
			s.Set = len(d.Suggestions) + 1
			d.Suggestions = append(d.Suggestions, s)
		} else if s.Tool == name {
			together = append(together, s)
		}
	}
	d.Suggestions = w.addSet(d.Suggestions, together)
	if len(d.Suggestions) == 0 {
		d.SuggestionsNote = "none of the tool's suggested rules would allow this call"
	}
	w.note("suggest", fmt.Sprintf("%d proposals", len(proposals)), fmt.Sprintf("%d offered", len(d.Suggestions)))
}

// proposals are the rules that tools propose for the call: for a search first those of the tool
// that reads files, for all below the directory that is searched (see matchReads), then those of its
// own tool, for the name.
func (w *walk) proposals(name string) (list []Suggestion, err error) {
	add := func(name string, entry Entry, call *Call) error {
		proposed, err := entry.Tool.GenerateSuggestions(w.ctx, call)
		for _, p := range proposed {
			list = append(list, Suggestion{Tool: name, Content: p.Content, Behavior: Allow, Description: p.Description, Covers: p.Covers, NearMisses: p.NearMisses})
		}
		return err
	}
	if rel := w.req.Related; w.namesReads() && rel[0].Entry.Tool != nil && rel[0].Entry.Err == nil {
		ok, err := w.onlyReads()
		if ok {
			err = add(rel[0].Entry.Name, rel[0].Entry, rel[0].whole())
		}
		if err != nil {
			return nil, err
		}
	}
	return list, add(name, w.req.Entry, w.call)
}

// ruleName is the name for a suggested rule: the entry's own, or the called name where the entry
// answers for foreign names, as the generic tool does; a rule with the entry's name would then
// allow other tools too.
func (w *walk) ruleName() (string, error) {
	e := w.req.Entry
	if w.call.Tool == "" || w.call.Tool == e.Name || slices.Contains(e.Aliases, w.call.Tool) {
		return e.Name, nil
	}
	if strings.ContainsAny(w.call.Tool, "*?") {
		return "", fmt.Errorf("the tool name %q would be read as a pattern", w.call.Tool)
	}
	return w.call.Tool, nil
}

// addSet puts rules of use only together in front, as one set: a compound call needs them, part by
// part.
func (w *walk) addSet(alone, together []Suggestion) []Suggestion {
	if len(together) < 2 || !w.allowedWith(together...) {
		return alone
	}
	for i := range together {
		together[i].Set = len(alone) + 1
	}
	return slices.Concat(together, alone)
}

// known reports whether the rule exists already, so it cannot help.
func (w *walk) known(s Suggestion) bool {
	rule := w.rule(s)
	return slices.ContainsFunc(w.rules[Allow], func(r *Rule) bool { return r.String() == rule.String() && r.Server == rule.Server })
}

// allowedWith decides again with the suggested rules added, as each place would
// read them where they may be stored: a rule of the project anchors its relative
// patterns at the project's root, any other at the first working directory.
func (w *walk) allowedWith(added ...Suggestion) bool {
	c := w.call.Context
	if !w.allowedIn(Rule{}, added) {
		return false
	}
	if c.ProjectRoot == "" || (len(c.WorkingDirectories) > 0 && c.WorkingDirectories[0] == c.ProjectRoot) {
		return true
	}
	return w.allowedIn(Rule{Scope: Project, ScopeKey: c.ProjectRoot}, added)
}

// allowedIn decides again with the suggested rules added where place says.
func (w *walk) allowedIn(place Rule, added []Suggestion) bool {
	req := w.req
	req.Rules = slices.Clone(req.Rules)
	for _, s := range added {
		r := w.rule(s)
		r.Scope, r.ScopeKey = place.Scope, place.ScopeKey
		req.Rules = append(req.Rules, r)
	}
	again := newWalk(w.ctx, req)
	return again.unchanged(again.table()).Behavior == Allow
}

// rule is the rule to store when a suggestion is accepted.
func (w *walk) rule(s Suggestion) Rule {
	return Rule{Tool: s.Tool, Content: s.Content, Behavior: s.Behavior, Source: "suggested", Server: w.call.identity()}
}

// helpless says why no allow rule could answer this ask; empty when one could.
func (w *walk) helpless(d Decision) string {
	switch {
	case d.BypassImmune:
		return "a safety check always needs approval: no allow rule can skip it"
	case d.fromProjectFile():
		return "an ask rule in the project's file asks every time: change or remove it there"
	case d.Stage == StageAskRule:
		return fmt.Sprintf("the ask rule %s asks every time: change or remove it", d.Rule)
	case d.Stage == StageProfile:
		return fmt.Sprintf("the profile asks every time: change profile %s, pattern %s", w.req.Profile.Name, w.req.Profile.Pattern)
	case d.Code == CodeUnsettled:
		return "no rule can answer this: it asks because " + d.Reason
	case d.Stage == StageError:
		return "an error asks every time: " + d.Reason
	}
	return ""
}
