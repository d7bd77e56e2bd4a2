package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// edit makes another input of the envelope of one verb.
type edit struct {
	// name describes the edit.
	name string
	do   func(envelope []byte) []byte
}

// question is one verb with its data about a call.
type question struct {
	verb     string
	envelope []byte
	rules    int
	// content is the rule for match_rule, behavior its behavior.
	behavior, content string
	answer            trial.Answer
}

// mostBases is how many calls of a tool are edited.
const mostBases = 3

// bases are the calls of a tool worth editing: those with an allowance from the module, or else
// the first.
func (t *toolTrial) bases() []*probe {
	var some []*probe
	for _, p := range t.probes {
		if len(some) < mostBases && p.allowed() {
			some = append(some, p)
		}
	}
	if len(some) == 0 && len(t.probes) > 0 {
		some = t.probes[:1]
	}
	return some
}

// allowed reports whether the module would let the call run by anything.
func (p *probe) allowed() bool {
	v, ok := p.verdict()
	return ok && v.Behavior == allow || p.readOnly() || len(p.allowing(1)) > 0
}

// allowing are rules of the tool that allow the call alone, at most so many.
func (p *probe) allowing(most int) []string {
	var list []string
	for _, content := range p.tool.contents {
		if len(list) < most && p.allows(content) {
			list = append(list, content)
		}
	}
	return list
}

// allowances are the questions with an answer that may let the call run.
func (p *probe) allowances() []question {
	list := []question{}
	for _, verb := range []string{sandbox.CheckPermissions, sandbox.CheckReadOnly} {
		if a, _ := p.ask(verb); a.Envelope != nil {
			list = append(list, question{verb: verb, envelope: a.Envelope, answer: a})
		}
	}
	contents := p.allowing(2)
	if len(contents) == 0 && len(p.tool.contents) > 0 {
		contents = p.tool.contents[:1]
	}
	for _, content := range contents {
		if a, _ := p.matching(allow, content); a.Envelope != nil {
			list = append(list, question{sandbox.MatchRule, a.Envelope, 1, allow, content, a})
		}
	}
	return list
}

// questions are all the host's questions about the call.
func (p *probe) questions() []question {
	list := p.allowances()
	for _, verb := range []string{sandbox.DescribeCall, sandbox.GenerateSuggestions} {
		if !p.r.subject.Has(verb) {
			continue
		}
		if a, _ := p.ask(verb); a.Envelope != nil {
			list = append(list, question{verb: verb, envelope: a.Envelope, answer: a})
		}
	}
	for _, content := range p.tool.contents[:min(2, len(p.tool.contents))] {
		if a, _ := p.matching(deny, content); a.Envelope != nil {
			list = append(list, question{sandbox.MatchRule, a.Envelope, 1, deny, content, a})
		}
	}
	return list
}

// cautious is the trial of edits that make a call invalid, or unreadable: the verb must fail,
// or give no allowance.
func cautious(edits ...edit) func(*run, *toolTrial) {
	return func(r *run, t *toolTrial) {
		for _, p := range t.bases() {
			for _, q := range p.allowances() {
				for _, e := range edits {
					r.cautiousOf(p, q, e)
				}
			}
			p.forget()
		}
	}
}

func (r *run) cautiousOf(p *probe, q question, e edit) {
	input := e.do(q.envelope)
	if input == nil || bytes.Equal(input, q.envelope) {
		return
	}
	r.try()
	if given := allowance(q.verb, r.put(q.verb, input), q.rules); given != "" {
		r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: e.name, Input: input, Came: given})
	}
}

// unmoved is the trial of edits that change nothing about the call: the answer must be the
// same.
func unmoved(edits ...edit) func(*run, *probe) { return unmovedOf(nil, edits...) }

// unmovedOf is unmoved for some verbs; none means all.
func unmovedOf(verbs []string, edits ...edit) func(*run, *probe) {
	return func(r *run, p *probe) {
		if p.from == fromSchema && len(p.tool.probes) > 0 && !p.tool.among(p, 12) {
			return
		}
		for _, q := range p.questions() {
			if len(verbs) > 0 && !slices.Contains(verbs, q.verb) {
				continue
			}
			for _, e := range edits {
				input := e.do(q.envelope)
				if input == nil || bytes.Equal(input, q.envelope) {
					continue
				}
				r.try()
				if res := r.put(q.verb, input); !sameAnswer(res, q.answer.Result) {
					r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: e.name, Input: input,
						Came: fmt.Sprintf("%s; without that it %s", came(res), came(q.answer.Result))})
				}
			}
		}
	}
}

// among reports whether a call is one of the tool's first.
func (t *toolTrial) among(p *probe, first int) bool {
	for i, other := range t.probes {
		if other == p {
			return i < first
		}
	}
	return true
}

// sameAnswer reports whether two answers mean the same: both fail, or both are the
// same JSON.
func sameAnswer(a, b trial.Result) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil
	}
	if bytes.Equal(a.Output, b.Output) {
		return true
	}
	var x, y any
	if json.Unmarshal(a.Output, &x) != nil || json.Unmarshal(b.Output, &y) != nil {
		return false
	}
	return bytes.Equal(encoded(x), encoded(y))
}

// onObject is an edit of the envelope as an object.
func onObject(name string, do func(object) object) edit {
	return edit{name, func(envelope []byte) []byte {
		o := parseObject(envelope)
		if o == nil {
			return nil
		}
		return do(o).text()
	}}
}
