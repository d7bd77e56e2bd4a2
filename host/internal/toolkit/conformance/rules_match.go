package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// matchRules are about the matches of sets of rules.
var matchRules = []trials{
	{Rule: Rule{"match.monotone", "a set of rules that matches still matches with more rules in it", Failed, "match_rule",
		"Let each rule only ever add: an allow set covers a part when any of its rules does, a deny or ask set matches when any does."}, call: monotone},
	{Rule: Rule{"match.order", "the order of the rules does not matter", Failed, "match_rule",
		"Look at every rule, whatever stands before it."}, call: orderless},
	{Rule: Rule{"match.union", "a deny or ask rule matches, or does not, whatever other rules are there", Failed, "match_rule",
		"Judge each deny and ask rule by itself, and answer all that match any part of the call."}, call: union},
	{Rule: Rule{"match.decides", "the rules that an allow match names suffice for it", Failed, "match_rule",
		"Answer the indices of the rules that together cover the call: they are what is shown as the reason, and what is stored."}, call: decides},
	{Rule: Rule{"match.asymmetric", "a rule that allows a call alone also matches it as deny and as ask", Failed, "match_rule",
		"A rule that covers every part of a call covers some part of it. Let the allow side be the stricter one."}, call: asymmetric},
	{Rule: Rule{"match.unrelated", "rules that cannot be read, or speak of something else, allow nothing", Failed, "match_rule",
		"Treat a content that does not read as a rule of yours as allowing nothing, and an empty one too."}, call: unrelated},
	{Rule: Rule{"match.root", "a rule with root at the first working directory is one without", Failed, "match_rule",
		"Anchor relative patterns at root, or where it is absent at the first working directory."}, call: rooted},
}

// contentsFor are the rules to try on a call: the tool's, and the module's suggestions for the
// call itself.
func (p *probe) contentsFor() []string {
	list := slices.Clone(p.tool.contents)
	for i, s := range p.suggestions() {
		if s.Content != nil && i < 3 && !slices.Contains(list, *s.Content) {
			list = append(list, *s.Content)
		}
	}
	return list
}

func monotone(r *run, p *probe) {
	contents := p.contentsFor()
	more := append(slices.Clone(contents), r.unguessable("monotone"), "")
	for _, behavior := range []string{allow, deny, ask} {
		for _, content := range contents {
			if one, ok := p.matched(behavior, content); !ok || len(one) == 0 {
				continue
			}
			r.try()
			if all, ok := p.matched(behavior, more...); ok && len(all) == 0 {
				a, _ := p.matching(behavior, more...)
				r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the %s rule %s, which matches alone, among %d", behavior, brief([]byte(content)), len(more)),
					Came: "no match", Case: p.matchCase(behavior, []int{slices.Index(more, content)}, more...)})
			}
		}
	}
}

func orderless(r *run, p *probe) {
	contents := p.contentsFor()
	if len(contents) < 2 {
		return
	}
	backwards := slices.Clone(contents)
	slices.Reverse(backwards)
	for _, behavior := range []string{allow, deny, ask} {
		one, ok := p.matched(behavior, contents...)
		other, ok2 := p.matched(behavior, backwards...)
		if !ok || !ok2 {
			continue
		}
		r.try()
		if (len(one) > 0) != (len(other) > 0) {
			a, _ := p.matching(behavior, backwards...)
			r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("%d %s rules backwards", len(contents), behavior),
				Came: fmt.Sprintf("matched %v; forwards %v", other, one)})
		}
	}
}

func union(r *run, p *probe) {
	contents := p.contentsFor()
	for _, behavior := range []string{deny, ask} {
		all, ok := p.matched(behavior, contents...)
		if !ok {
			continue
		}
		for i, content := range contents {
			alone, ok := p.matched(behavior, content)
			if !ok {
				continue
			}
			r.try()
			if in := slices.Contains(all, i); in && len(alone) == 0 || !in && len(alone) > 0 && len(all) == 0 {
				a, _ := p.matching(behavior, contents...)
				r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the %s rule %s alone and among others", behavior, brief([]byte(content))),
					Came: fmt.Sprintf("matches alone: %t, among others: %t", len(alone) > 0, in)})
			}
		}
	}
}

func decides(r *run, p *probe) {
	contents := p.contentsFor()
	indices, ok := p.matched(allow, contents...)
	if !ok || len(indices) == 0 {
		return
	}
	var deciding []string
	for _, i := range indices {
		deciding = append(deciding, contents[i])
	}
	r.try()
	if !p.allows(deciding...) {
		a, _ := p.matching(allow, deciding...)
		r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("only the allow rules that it named: %q", deciding), Came: "no match"})
	}
}

func asymmetric(r *run, p *probe) {
	for _, content := range p.contentsFor() {
		if !p.allows(content) {
			continue
		}
		for _, behavior := range []string{deny, ask} {
			r.try()
			if !p.catches(behavior, content) {
				a, _ := p.matching(behavior, content)
				r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the rule %s as %s", brief([]byte(content)), behavior),
					Came: "no match; as allow it matches", Case: p.matchCase(behavior, []int{0}, content)})
			}
		}
	}
}

// unrelated tries contents with an unguessable word.
func unrelated(r *run, p *probe) {
	word := r.unguessable("unrelated")
	rubbish := []string{word, "(((" + word, "[" + word, `{"` + word, word + ":*", word + " *", "\x00" + word, `\` + word, "/" + word + "/**", strings.Repeat(word, 300)}
	for _, content := range []string{"", " ", "\x00", "\n"} {
		if !slices.Contains(p.texts(), content) { // a rule may be a text of the call
			rubbish = append(rubbish, content)
		}
	}
	for _, content := range rubbish {
		r.try()
		if p.allows(content) {
			a, _ := p.matching(allow, content)
			r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: "the allow rule " + brief([]byte(content)), Came: "it matched", Case: p.matchCase(allow, nil, content)})
		}
	}
	if p.allows(rubbish...) {
		a, _ := p.matching(allow, rubbish...)
		r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: "all of them together", Came: "they matched", Case: p.matchCase(allow, nil, rubbish...)})
	}
}

func rooted(r *run, p *probe) {
	if !p.ready() {
		return
	}
	root := workingDirectory(p.call)
	for _, content := range p.contentsFor() {
		for _, behavior := range []string{allow, deny} {
			one, ok := p.matched(behavior, content)
			a, ok2 := p.rooted(behavior, root, content)
			if !ok || !ok2 {
				continue
			}
			r.try()
			if got := indicesOf(a.Output); len(got) != len(one) {
				r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the %s rule %s with root %s", behavior, brief([]byte(content)), root),
					Came: fmt.Sprintf("matches: %t, without root: %t", len(got) > 0, len(one) > 0)})
			}
		}
	}
}

// texts are all texts of the call's input.
func (p *probe) texts() (list []string) {
	var walk func(any)
	walk = func(value any) {
		switch v := value.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	var input any
	if json.Unmarshal(p.call.Input, &input) == nil {
		walk(input)
	}
	return list
}
