package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// suggestRules are about generate_suggestions.
var suggestRules = []trials{
	{Rule: Rule{"suggest.matches", "each suggestion matches the call as an allow rule, alone or together with the others", Failed, "generate_suggestions",
		"Try each content with your own matcher before you propose it; propose nothing for a call that no rule may cover."}, call: suggestsTruly},
	{Rule: Rule{"suggest.near-misses", "the near misses of a suggestion are inputs that it does not match", Failed, "generate_suggestions",
		"Name inputs that differ from the call in what the rule is about; they are kept as tests of the rule."}, call: missesTruly},
	{Rule: Rule{"suggest.immune", "nothing is suggested for a call that no rule lets run", Advice, "generate_suggestions",
		"Answer no rules where check_permissions denies, or asks bypass-immune: the host offers none of them."}, call: suggestsInVain},
	{Rule: Rule{"suggest.many", "few suggestions, none of them twice", Advice, "generate_suggestions",
		"Propose a handful, the most useful first: the host tries the first 16, and a person reads three."}, call: suggestsMany},
	{Rule: Rule{"suggest.covers", "it says what a rule covers only to a host that reads it", Failed, "generate_suggestions",
		"Leave covers out unless the envelope says \"covers\": true: older hosts refuse the member, and with it every suggestion."}, call: coversAsked},
	{Rule: Rule{"suggest.broad", "a suggestion with a content does not match every call of its tool", Advice, "generate_suggestions",
		"Propose content null for the whole tool, so that the person sees what they accept, or make the rule narrower."}, tool: suggestsAll},
}

// contents are the suggestions with one.
func contents(list []engine.SuggestedRule) (out []string) {
	for _, s := range list {
		if s.Content != nil {
			out = append(out, *s.Content)
		}
	}
	return out
}

func suggestsTruly(r *run, p *probe) {
	var together []string
	for _, content := range contents(p.suggestions()) {
		r.try()
		if !p.allows(content) {
			together = append(together, content)
		}
	}
	if len(together) == 0 || len(together) > 1 && p.allows(together...) {
		return
	}
	f := p.finding(sandbox.GenerateSuggestions, fmt.Sprintf("%d suggestions as allow rules, alone and together", len(together)), fmt.Sprintf("they do not match the call: %q", together))
	f.Case = p.matchCase(allow, []int{0}, together[0])
	r.fail(f)
}

func missesTruly(r *run, p *probe) {
	for _, s := range p.suggestions() {
		for _, miss := range s.NearMisses {
			if s.Content == nil {
				continue
			}
			r.try()
			f := p.finding(sandbox.GenerateSuggestions, fmt.Sprintf("the near miss %s of the suggestion %s", brief(miss), brief([]byte(*s.Content))), "")
			input, err := strictjson.Object(miss)
			if err != nil {
				f.Came = "it is no input: " + err.Error()
				r.fail(f)
				continue
			}
			c := p.call
			c.Input = input
			other := r.probe(p.tool, c, fromElsewhere)
			if other.allows(*s.Content) {
				f.Came, f.Case = "the rule matches it", other.matchCase(allow, nil, *s.Content)
				r.fail(f)
			}
		}
	}
}

func coversAsked(r *run, p *probe) {
	if !p.ready() {
		return
	}
	a, _ := p.ask(sandbox.GenerateSuggestions)
	envelope := parseObject(a.Envelope)
	if envelope == nil {
		return
	}
	r.try()
	res := r.put(sandbox.GenerateSuggestions, envelope.without("covers").text())
	var answer struct {
		Rules []struct {
			Covers *string `json:"covers"`
		} `json:"rules"`
	}
	if res.Err != nil || json.Unmarshal(res.Output, &answer) != nil {
		return
	}
	for _, s := range answer.Rules {
		if s.Covers != nil {
			r.fail(p.finding(sandbox.GenerateSuggestions, "a host that does not read covers", "covers "+brief([]byte(*s.Covers))))
			return
		}
	}
}

func suggestsInVain(r *run, p *probe) {
	v, ok := p.verdict()
	if !ok || !v.immune() {
		return
	}
	r.try()
	if list := p.suggestions(); len(list) > 0 {
		r.fail(p.finding(sandbox.GenerateSuggestions, "a call that no rule lets run", fmt.Sprintf("%d suggestions", len(list))))
	}
}

// mostSuggestions is how many suggestions the host tries.
const mostSuggestions = 16

func suggestsMany(r *run, p *probe) {
	list := p.suggestions()
	if len(list) == 0 {
		return
	}
	r.try()
	seen := map[string]bool{}
	for _, content := range contents(list) {
		if seen[content] {
			r.fail(p.finding(sandbox.GenerateSuggestions, "a call from "+string(p.from), "twice: "+brief([]byte(content))))
		}
		seen[content] = true
	}
	if len(list) > mostSuggestions {
		r.fail(p.finding(sandbox.GenerateSuggestions, "a call from "+string(p.from), fmt.Sprintf("%d suggestions", len(list))))
	}
}

// fewest is the number of different calls from which a rule matching all counts as broad.
const fewest = 8

func suggestsAll(r *run, t *toolTrial) {
	if len(t.probes) < fewest {
		r.skip(r.now.ID, "no tool has calls enough to tell")
		return
	}
	for _, base := range t.bases() {
		for _, content := range contents(base.suggestions()) {
			if strings.Contains(content, workingDirectory(base.call)) {
				continue // the calls here differ in other things
			}
			r.try()
			n := 0
			for _, p := range t.probes {
				if p.allows(content) {
					n++
				}
			}
			if n == len(t.probes) {
				r.fail(base.finding(sandbox.GenerateSuggestions, "the suggestion "+brief([]byte(content))+" on all calls", fmt.Sprintf("it matches all %d", n)))
			}
		}
	}
}
