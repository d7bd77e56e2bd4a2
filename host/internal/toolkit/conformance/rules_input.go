package conformance

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// inputRules are about inputs of a tool outside its own schema.
var inputRules = []trials{
	{Rule: Rule{"input.unreadable", "an input with a required member of another type than the schema says gets no allowance", Failed, "match_rule",
		"Read each member strictly before you judge: one of another type makes the call unreadable; answer a bypass-immune ask, not read-only, and no match of any allow rule."},
		tool: unreadable((*toolTrial).mistyped, noAllowance)},
	{Rule: Rule{"input.unreadable-deny", "a call that cannot be read is matched by every deny and every ask rule", Failed, "match_rule",
		"Answer match_rule with all indices for deny and ask (or return an error) when the call cannot be read: a rule that does not match is a call that is let through."},
		tool: unreadable((*toolTrial).mistyped, allCaught)},
	{Rule: Rule{"input.required", "an input without a required member, or with null in its place, gets no allowance, and every deny and ask rule matches it", Advice, "match_rule",
		"Take a call for unreadable when it lacks what your schema requires: the tool may find it under another name, or fill in something of its own."},
		tool: unreadable((*toolTrial).lacking, noAllowance, allCaught)},
	{Rule: Rule{"input.unreadable-targets", "describe_call says targets_unknown of a call that cannot be read", Advice, "describe_call",
		"Answer describe_call with targets_unknown, or return an error, when the call cannot be read: deny and ask rules for files then count as matched."},
		tool: unreadable((*toolTrial).mistyped, targetsUnknown)},
	{Rule: Rule{"input.case", "names of the input's members are case-sensitive", Failed, "Encoding",
		"Compare the names of members byte for byte; some JSON readers ignore case unless they are told not to, and the tool that runs may not."},
		tool: otherCase},
	{Rule: Rule{"input.unknown-members", "a member that the schema forbids takes every allowance away", Failed, "match_rule",
		"Give no allowance to an input with members that you do not know: the tool may take them for an option."},
		tool: strangers(true)},
	{Rule: Rule{"input.open-schema", "a member that the schema does not name takes every allowance away", Advice, "match_rule",
		"Give no allowance to an input with members that you do not know, and set additionalProperties to false where your tool has no others."},
		tool: strangers(false)},
	{Rule: Rule{"input.numbers", "numbers beyond 2^53 are not taken for their neighbours", Failed, "Encoding",
		"Keep numbers as they are written, or as integers of 64 bits: a double holds no more than 53 bits."},
		tool: neighbours},
	{Rule: Rule{"input.control", "a rule that allows a text does not allow it with a NUL in it", Advice, "match_rule",
		"Take texts with NUL for unreadable: the program that runs may see their beginning only."},
		tool: withNUL},
}

// broken is an input outside the schema.
type broken struct {
	what  string
	input []byte
}

// wrongValues are JSON values of each type.
// A list of words is no wrong command, since some clients send one: the list holds a number.
var wrongValues = []string{`7`, `true`, `"zq"`, `[7]`, `{"zq":1}`}

// mistyped are similar inputs, unreadable by the schema: with a required member of another
// type.
func (t *toolTrial) mistyped(input []byte) (list []broken) {
	o := parseObject(input)
	for _, name := range t.schema.required() {
		for _, value := range wrongValues {
			if kindOf(value) != kindOf(string(o.get(name))) {
				list = append(list, broken{name + " as " + value, o.with(name, []byte(value)).text()})
			}
		}
	}
	return list
}

// lacking are inputs like one with a required member missing, or null.
func (t *toolTrial) lacking(input []byte) (list []broken) {
	o := parseObject(input)
	for _, name := range t.schema.required() {
		list = append(list, broken{"the input without " + name, o.without(name).text()}, broken{name + " as null", o.with(name, []byte(`null`)).text()})
	}
	return list
}

// kindOf is a letter for the type of a JSON value.
func kindOf(value string) string {
	if value == "" {
		return ""
	}
	switch c := value[:1]; c {
	case "t", "f":
		return "t"
	case "{", "[", `"`, "n":
		return c
	}
	return "0"
}

// unreadable is the trial of a rule about calls outside the schema, made of valid calls.
func unreadable(breaks func(*toolTrial, []byte) []broken, judges ...func(*run, *probe, broken)) func(*run, *toolTrial) {
	return func(r *run, t *toolTrial) {
		if !t.schema.usable() || len(t.schema.required()) == 0 {
			r.skip(r.now.ID, "no tool declares an input_schema with required members")
			return
		}
		for _, base := range t.bases() {
			if valid, ok := t.schema.accepts(base.call.Input); !ok || !valid {
				continue
			}
			for _, b := range breaks(t, base.call.Input) {
				if valid, ok := t.schema.accepts(b.input); !ok || valid {
					continue
				}
				for _, judge := range judges {
					r.judgeBroken(t, base, b, judge)
				}
			}
			base.forget()
		}
	}
}

func (r *run) judgeBroken(t *toolTrial, base *probe, b broken, judge func(*run, *probe, broken)) {
	c := base.call
	c.Input = b.input
	p := r.probe(t, c, fromElsewhere)
	judge(r, p, b)
}

func noAllowance(r *run, p *probe, b broken) {
	for _, given := range p.given() {
		r.fail(p.gave(given, b.what))
	}
	r.try()
}

// gave is the finding of an allowance.
func (p *probe) gave(q question, tried string) Finding {
	return Finding{Tool: p.name, Verb: q.verb, Tried: tried, Input: q.envelope, Came: allowance(q.verb, q.answer.Result, q.rules), Case: p.noneCase(q)}
}

// given are the questions with allowing answers.
func (p *probe) given() (list []question) {
	if !p.ready() {
		return nil
	}
	for _, q := range p.allowances() {
		if allowance(q.verb, q.answer.Result, q.rules) != "" {
			list = append(list, q)
		}
	}
	return list
}

func allCaught(r *run, p *probe, b broken) {
	contents := p.tool.contents
	if len(contents) == 0 {
		contents = []string{r.unguessable("rule")}
	}
	for _, behavior := range []string{deny, ask} {
		r.try()
		for _, content := range contents {
			if !p.catches(behavior, content) {
				a, _ := p.matching(behavior, content)
				r.fail(Finding{Tool: p.name, Verb: sandbox.MatchRule, Tried: b.what, Input: a.Envelope,
					Came: fmt.Sprintf("the %s rule %s did not match", behavior, brief([]byte(content))), Case: p.matchCase(behavior, []int{0}, content)})
				return
			}
		}
	}
}

func targetsUnknown(r *run, p *probe, b broken) {
	if !r.subject.Has(sandbox.DescribeCall) {
		r.skip(r.now.ID, "the module has no describe_call")
		return
	}
	r.try()
	if d := p.described(); d != nil && !d.TargetsUnknown {
		a, _ := p.ask(sandbox.DescribeCall)
		r.fail(Finding{Tool: p.name, Verb: sandbox.DescribeCall, Tried: b.what, Input: a.Envelope, Came: came(a.Result)})
	}
}

// otherCase names the required members in another case: they are missing then.
func otherCase(r *run, t *toolTrial) {
	for _, base := range t.bases() {
		o := parseObject(base.call.Input)
		for _, name := range t.schema.required() {
			value, at := o.get(name), strings.ToUpper(name[:min(1, len(name))])
			if value == nil || at == "" || at == name[:1] {
				continue
			}
			other := at + name[1:]
			changed := o.without(name).with(other, value).text()
			if valid, ok := t.schema.accepts(changed); ok && !valid {
				r.judgeBroken(t, base, broken{"the member " + name + " called " + other, changed}, noAllowance)
			}
		}
		base.forget()
	}
}

// strangers adds members no tool has: names forbidden by the schema, or unknown to it.
func strangers(closed bool) func(*run, *toolTrial) {
	return func(r *run, t *toolTrial) {
		if !t.schema.usable() || t.schema.closed() != closed || len(t.schema.properties()) == 0 {
			return
		}
		for _, base := range t.bases() {
			for _, name := range []string{"zq_option", "__proto__", "constructor"} {
				changed := parseObject(base.call.Input).with(name, []byte(`{"zq":true}`)).text()
				r.judgeBroken(t, base, broken{"the member " + name + " beside the others", changed}, noAllowance)
			}
			base.forget()
		}
	}
}

// neighbours tries the module's suggestions for a call with a large number on the call with the
// next one.
func neighbours(r *run, t *toolTrial) {
	const large, next = "9007199254740993", "9007199254740992"
	for _, base := range t.bases() {
		o := parseObject(base.call.Input)
		for _, name := range slices.Sorted(maps.Keys(t.schema.properties())) {
			if !isNumber(t.schema, t.schema.properties()[name]) {
				continue
			}
			c := base.call
			c.Input = o.with(name, []byte(large)).text()
			p := r.probe(t, c, fromElsewhere)
			c.Input = o.with(name, []byte(next)).text()
			other := r.probe(t, c, fromElsewhere)
			for _, s := range p.suggestions() {
				if s.Content == nil || !strings.Contains(*s.Content, large) || !p.allows(*s.Content) {
					continue
				}
				r.try()
				if other.allows(*s.Content) {
					a, _ := other.matching(allow, *s.Content)
					r.fail(Finding{Tool: t.called, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the rule %s on a call with %s", *s.Content, next),
						Came: "it matched as allow", Case: other.matchCase(allow, nil, *s.Content)})
				}
			}
		}
	}
}

func isNumber(s *schema, part any) bool {
	of, _ := s.resolve(part, 0).(map[string]any)
	return of["type"] == "integer" || of["type"] == "number"
}

// withNUL puts NUL and an ending into the texts of calls allowed by a rule.
func withNUL(r *run, t *toolTrial) {
	for _, base := range t.bases() {
		contents := base.allowing(2)
		o := parseObject(base.call.Input)
		for _, name := range t.schema.required() {
			value := o.get(name)
			if !bytes.HasPrefix(value, []byte(`"`)) {
				continue
			}
			c := base.call
			c.Input = o.with(name, append(bytes.Clone(value[:len(value)-1]), `\u0000zq"`...)).text()
			p := r.probe(t, c, fromElsewhere)
			c.Input = o.with(name, append(bytes.Clone(value[:len(value)-1]), `zq"`...)).text()
			other := r.probe(t, c, fromElsewhere)
			for _, content := range contents {
				if other.allows(content) {
					continue // the rule is not about this text, or takes any ending
				}
				r.try()
				if p.allows(content) {
					a, _ := p.matching(allow, content)
					r.fail(Finding{Tool: t.called, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("%s with a NUL, and the allow rule %s", name, brief([]byte(content))),
						Came: "it matched", Case: p.matchCase(allow, nil, content)})
				}
			}
		}
		base.forget()
	}
}
