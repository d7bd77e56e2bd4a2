package conformance

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// answerRules are about every answer.
var answerRules = []trials{
	{Rule: Rule{"answer.strict", "every answer is one JSON object with the members, types and sizes of the ABI", Failed, "Encoding",
		"Write the answer with a JSON writer, the members of the ABI document and no others; mind the caps."}, call: soundAnswers},
	{Rule: Rule{"answer.indices", "match_rule answers indices of its rules, ascending, each once", Failed, "match_rule",
		"Count rules from 0, and answer those that match in their order."}, call: soundIndices},
	{Rule: Rule{"answer.immune", "bypass_immune comes with ask only", Failed, "check_permissions",
		"Leave bypass_immune out of every other behavior: a deny needs none, and an allow cannot have it."}, call: soundImmune},
	{Rule: Rule{"answer.declared", "its own examples and cases get an answer of every verb", Failed, "Transport",
		"Return 0 with an answer for a call that you give as an example. What fails lets no call run, but a person is asked with no word of yours."}, call: answersOwn},
	{Rule: Rule{"answer.schema", "inputs that its schema allows get an answer of every verb", Advice, "Transport",
		"Answer (a bypass-immune ask, if you must) instead of failing, or make the schema as narrow as your reader."}, call: answersSchema},
	{Rule: Rule{"answer.same", "the same call gets the same answer", Failed, "Transport",
		"Judge by the input alone: no counter, no clock, no random number, no order of a hash table."}, call: sameAgain},
	{Rule: Rule{"answer.fresh", "a fresh instance gives the same answer", Failed, "Transport",
		"Make what you keep in memory at start the same each time; nothing that one call writes may matter to the next."}, call: sameFresh},
	{Rule: Rule{"answer.after-others", "other calls in between change no answer", Failed, "Transport",
		"Keep nothing between calls: no cache, no buffer that is not written anew."}, tool: sameAfterOthers},
	{Rule: Rule{"answer.after-failure", "a call that failed in between changes no answer", Failed, "Transport",
		"Keep nothing between calls; let an error leave nothing half done."}, tool: sameAfterFailure},
}

// unsounds reports defects the host would refuse in the answers to a call.
func unsounds(r *run, p *probe, of func(text string) bool) {
	for _, q := range p.questions() {
		r.try()
		if q.answer.Err != nil || q.answer.Unsound == nil {
			continue
		}
		if text := q.answer.Unsound.Error(); of(text) {
			r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: "a call from " + string(p.from), Input: q.envelope, Came: text + ": " + came(q.answer.Result), Case: p.plainCase()})
		}
	}
}

func aboutIndices(text string) bool { return strings.HasPrefix(text, "matched: index") }
func aboutImmune(text string) bool  { return strings.HasPrefix(text, "bypass_immune:") }

func soundAnswers(r *run, p *probe) {
	unsounds(r, p, func(text string) bool { return !aboutIndices(text) && !aboutImmune(text) })
}
func soundIndices(r *run, p *probe) { unsounds(r, p, aboutIndices) }
func soundImmune(r *run, p *probe)  { unsounds(r, p, aboutImmune) }

func answersOwn(r *run, p *probe)    { answers(r, p, fromAuthor) }
func answersSchema(r *run, p *probe) { answers(r, p, fromSchema) }

func answers(r *run, p *probe, from origin) {
	if p.from != from {
		return
	}
	for _, q := range p.questions() {
		r.try()
		if q.answer.Err != nil {
			r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: "a call from " + string(p.from), Input: q.envelope, Came: q.answer.Err.Error(), Case: p.plainCase()})
		}
	}
}

// sameIn puts all questions of a call once more to an instance.
func (r *run) sameIn(m trial.Runner, p *probe, tried string) {
	for _, q := range p.questions() {
		r.try()
		if res := r.putTo(m, q.verb, q.envelope); !exactlySame(res, q.answer.Result) {
			r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: tried, Input: q.envelope, Came: fmt.Sprintf("%s; first it %s", came(res), came(q.answer.Result))})
		}
	}
}

// exactlySame reports whether two answers are the same bytes, or both failures.
func exactlySame(a, b trial.Result) bool {
	if a.Err != nil || b.Err != nil {
		return a.Err != nil && b.Err != nil
	}
	return string(a.Output) == string(b.Output)
}

func sameAgain(r *run, p *probe) { r.sameIn(r.subject.Runner, p, "the same call at once again") }

func sameFresh(r *run, p *probe) {
	m := r.fresh()
	if m == nil || p.from == fromElsewhere {
		r.skip(r.now.ID, "no second instance could be had")
		return
	}
	r.sameIn(m, p, "the same call in a fresh instance")
}

// mostRemembered is how many calls of a tool are put once more after others.
const mostRemembered = 8

// sameAfterOthers puts the first calls, then all others, then the first again.
func sameAfterOthers(r *run, t *toolTrial) {
	first := t.probes[:min(len(t.probes), mostRemembered)]
	for _, p := range first {
		p.questions()
	}
	for _, p := range t.probes[len(first):] {
		p.questions()
		p.forget()
	}
	for _, p := range first {
		r.sameIn(r.subject.Runner, p, "the same call after others")
	}
}

// sameAfterFailure puts to each verb an input it must refuse, and a large one, between a call
// and the same call.
func sameAfterFailure(r *run, t *toolTrial) {
	for _, p := range t.bases() {
		p.questions()
		for _, bad := range [][]byte{nil, []byte("{"), []byte(`{"tool":"` + strings.Repeat("a", 1<<20) + `"}`)} {
			for _, verb := range verbs {
				if r.subject.Has(verb) {
					r.put(verb, bad)
				}
			}
			r.sameIn(r.subject.Runner, p, fmt.Sprintf("the same call after an input of %d bytes that is no call", len(bad)))
		}
		p.forget()
	}
}
