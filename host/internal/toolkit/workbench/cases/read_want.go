package cases

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// The members of the exports' answers. Source: docs/abi.md.
var (
	checkMembers    = []string{"behavior", "message", "reason", "bypass_immune"}
	readOnlyMembers = []string{"read_only", "reason"}
	suggestMembers  = []string{"content", "description", "covers", "near_misses"}
	describeMembers = []string{"action", "actions", "title", "preview", "language", "targets", "targets_unknown", "analysed", "moves", "changes_shell", "marks", "effects"}
)

func (r *reader) wants(f *form, c *Case) {
	c.check = r.want("check", f.Check, checkMembers)
	c.describe = r.want("describe", f.Describe, describeMembers)
	c.readOnly = r.readOnly(f.ReadOnly)
	c.suggest = r.suggestions(f.Suggestions)
	for i, m := range f.Match {
		r.match(i, m, c)
	}
	if c.mustFail {
		for _, w := range []*want{c.check, c.readOnly, c.suggest, c.describe} {
			if w != nil {
				r.wrong("error", "a case in which every export must fail names no answers: take them out, or write error at single ones (check: error)")
				break
			}
		}
	}
}

// failure reports whether the text requires the export to fail.
func failure(v json.RawMessage) bool {
	var word string
	return json.Unmarshal(v, &word) == nil && word == "error"
}

// want reads the compared members of one answer.
func (r *reader) want(field string, v json.RawMessage, known []string) *want {
	if v == nil {
		return nil
	}
	if failure(v) {
		return &want{failure: true}
	}
	w := &want{}
	if err := json.Unmarshal(v, &w.members); err != nil || w.members == nil {
		r.wrong(field, "want a mapping of members of the answer, or the word error")
		return nil
	}
	for _, name := range known {
		if _, ok := w.members[name]; ok {
			w.names = append(w.names, name)
		}
	}
	for name := range w.members {
		if !slices.Contains(known, name) {
			r.wrong(field+"."+name, "unknown key: an answer has %s", strings.Join(known, ", "))
		}
	}
	if len(w.members) == 0 {
		r.wrong(field, "names no member, so that nothing is compared: name one of %s", strings.Join(known, ", "))
	}
	return w
}

// readOnly reads {read_only: ..., reason: ...}, or the truth value alone.
func (r *reader) readOnly(v json.RawMessage) *want {
	var truth *bool
	if v != nil && json.Unmarshal(v, &truth) == nil && truth != nil {
		return &want{names: readOnlyMembers[:1], members: map[string]json.RawMessage{readOnlyMembers[0]: v}}
	}
	return r.want("read_only", v, readOnlyMembers)
}

// suggestions reads the list of all expected suggestions, each a content or some members.
func (r *reader) suggestions(v json.RawMessage) *want {
	if v == nil {
		return nil
	}
	if failure(v) {
		return &want{failure: true}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(v, &items); err != nil || items == nil {
		r.wrong("suggestions", "want the list of all suggested rules ([] for none), or the word error")
		return nil
	}
	w := &want{list: true}
	for i, item := range items {
		w.rules = append(w.rules, r.suggestion(fmt.Sprintf("suggestions[%d]", i), item))
	}
	return w
}

func (r *reader) suggestion(field string, v json.RawMessage) suggestion {
	var text *string
	if json.Unmarshal(v, &text) == nil {
		return suggestion{"content": v} // null is the whole tool
	}
	w := r.want(field, v, suggestMembers)
	if w == nil || w.failure {
		return nil
	}
	return w.members
}

// match reads one set of rules and the indices of the expected matches.
func (r *reader) match(i int, m matchForm, c *Case) {
	field := fmt.Sprintf("match[%d]", i)
	if b, err := engine.ParseBehavior(m.Behavior); err != nil || b == engine.Passthrough {
		r.wrong(field+".behavior", "%q: want allow, deny or ask", m.Behavior)
	}
	var rules []string
	if m.Rules == nil {
		r.wrong(field+".rules", "missing: want the contents of the rules to try, such as [staging/*]")
	} else {
		rules = *m.Rules
	}
	c.Call.Rules = append(c.Call.Rules, trial.RuleSet{Behavior: m.Behavior, Contents: rules, Root: r.absolute(field+".root", m.Root)})
	w := &want{names: []string{"matched"}, members: map[string]json.RawMessage{"matched": m.Matched}}
	switch {
	case c.mustFail && m.Matched == nil:
		return
	case failure(m.Matched):
		w = &want{failure: true}
	case !indices(m.Matched, len(rules)):
		r.wrong(field+".matched", "want the indices of the rules that match, ascending, counted from 0 ([] for none), or the word error")
	}
	c.match = append(c.match, w)
}

func indices(v json.RawMessage, n int) bool {
	var list []int
	if json.Unmarshal(v, &list) != nil || list == nil {
		return false
	}
	last := -1
	for _, i := range list {
		if i <= last || i >= n {
			return false
		}
		last = i
	}
	return true
}
