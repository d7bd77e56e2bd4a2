package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// envelopeRules are about all of the envelope but the call's own input.
var envelopeRules = []trials{
	{Rule: Rule{"envelope.unknown-members", "members of the envelope that it does not know change nothing", Failed, "Encoding",
		"Ignore unknown members of the envelope, its context, its targets and its rules: later versions of the ABI add some."}, call: unmoved(
		onObject("a new member of the envelope, last", func(o object) object { return o.and("zq_new", []byte(`{"a":[1,null]}`)) }),
		onObject("a new member of the envelope, first", func(o object) object { return append(object{{"zq_new", json.RawMessage(`"a"`)}}, o...) }),
		onObject("a new member of the context", func(o object) object {
			return o.within("context", func(c object) object { return append(object{{"zq_new", json.RawMessage(`[{}]`)}}, c...) })
		}),
		onObject("a new member of each rule", func(o object) object { return o.with("rules", eachOf(o.get("rules"))) }),
		onObject("a new member of each target", func(o object) object {
			return o.within("context", func(c object) object { return c.with("targets", eachOf(c.get("targets"))) })
		}))},
	{Rule: Rule{"envelope.spelling", "the order of members, blanks and escapes in texts change nothing", Failed, "Encoding",
		"Read the envelope with a JSON reader; look at values, never at the bytes that spell them."}, call: unmoved(
		onObject("the members of the envelope in another order", reversed),
		onObject("the members of the context in another order", func(o object) object { return o.within("context", reversed) }),
		edit{"blanks between all parts", spaced},
		edit{"letters of texts written as \\u escapes", escaped})},
	{Rule: Rule{"envelope.mode", "what a call means does not depend on the mode", Failed, "Envelope",
		"Do not read mode or annotations in match_rule and check_read_only: the host leaves them out there."}, call: unmovedOf(meaning,
		inContext("mode bypass in the context", "mode", `"bypass"`), inContext("mode explore in the context", "mode", `"explore"`),
		inContext("annotations in the context", "annotations", `{"readOnlyHint":true,"destructiveHint":false}`))},
	{Rule: Rule{"envelope.paths", "the lists of paths in config, which every tool may get, break nothing", Failed, "Envelope",
		"Read the members of config that are yours, and take protected, unprotected, secret and not_secret for what they are."}, call: standsPaths},
	{Rule: Rule{"envelope.shell-changed", "shell_changed only tightens", Failed, "Envelope",
		"Give no allowance for shell_changed that you would not give without it."}, call: tightens},
	{Rule: Rule{"envelope.identity", "whether a rule matches does not depend on who calls", Advice, "Envelope",
		"Leave agent, session, user and approver out of match_rule and check_read_only: a person who accepts a rule does not see that it holds for some callers only."}, call: unmovedOf(meaning,
		inContext("another agent", "agent", `"zq-agent"`), inContext("another session", "session", `"zq-session"`),
		inContext("another user", "user", `"root"`), inContext("another approver", "approver", `"zq"`))},
	{Rule: Rule{"envelope.wrong-types", "an envelope of another shape gets an error, or no allowance", Failed, "Envelope",
		"Return an error when a member of the envelope that you use has another type than the ABI says, or is not there."}, tool: cautious(
		typed("input", `null`), typed("input", `[]`), typed("input", `"x"`), typed("input", `7`), missing("input"),
		typed("rules", `null`), typed("rules", `{}`), typed("rules", `[7]`), typed("rules", `[null]`), typed("rules", `[{}]`), typed("rules", `[{"content":7}]`),
		typed("rules", `[{"content":null}]`), missing("rules"))},
	{Rule: Rule{"envelope.tool", "a tool that the module does not have gets an error", Failed, "Envelope",
		"Compare the envelope's tool with the names that describe declares, and return 1 for any other: an answer about a tool that you do not know is a guess."}, module: unknownTool},
}

// meaning are the verbs about the meaning of a call, for any caller.
var meaning = []string{sandbox.MatchRule, sandbox.CheckReadOnly}

// eachOf gives each object of a list one member more.
func eachOf(list []byte) []byte {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil || items == nil {
		return list
	}
	for i, item := range items {
		if o := parseObject(item); o != nil {
			items[i] = o.and("zq_new", []byte(`{"a":1}`)).text()
		}
	}
	return encoded(items)
}

func reversed(o object) object {
	o = slices.Clone(o)
	slices.Reverse(o)
	return o
}

// spaced is JSON with blanks of all kinds between its parts.
func spaced(envelope []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, envelope, "\r\n ", "\t") != nil {
		return nil
	}
	return append(append([]byte(" \n"), out.Bytes()...), "\r\n\t "...)
}

// escaped writes letters and slashes within texts as escapes.
func escaped(envelope []byte) []byte {
	var out bytes.Buffer
	text, skip := false, false
	for i := 0; i < len(envelope); i++ {
		c := envelope[i]
		switch {
		case skip:
			skip = false
		case c == '\\':
			skip = true
		case c == '"':
			text = !text
		case text && (c == '/' || 'a' <= c && c <= 'z') && !afterUnicode(envelope, i):
			fmt.Fprintf(&out, `\u%04x`, c)
			continue
		}
		out.WriteByte(c)
	}
	return out.Bytes()
}

// afterUnicode reports whether a byte belongs to an escape of four digits.
func afterUnicode(text []byte, at int) bool {
	from := bytes.LastIndex(text[max(at-5, 0):at], []byte(`\u`))
	return from >= 0
}

func typed(name, value string) edit {
	return onObject("the member "+name+" of the envelope as "+value, func(o object) object {
		if o.get(name) == nil {
			return o
		}
		return o.with(name, []byte(value))
	})
}

func missing(name string) edit {
	return onObject("an envelope without the member "+name, func(o object) object { return o.without(name) })
}

func inContext(name, member, value string) edit {
	return onObject(name, func(o object) object {
		return o.within("context", func(c object) object { return c.with(member, []byte(value)) })
	})
}

func standsPaths(r *run, p *probe) {
	if p.from == fromSchema {
		return
	}
	for _, q := range p.questions() {
		if q.answer.Failed() != nil {
			continue
		}
		o := parseObject(q.envelope)
		if o.get("config") == nil {
			o = o.with("config", []byte(`{}`))
		}
		input := o.within("config", func(c object) object {
			for _, name := range []string{"protected", "unprotected", "secret", "not_secret"} {
				c = c.with(name, []byte(`["/zq/**"]`))
			}
			return c
		}).text()
		r.try()
		if res := r.put(q.verb, input); res.Err != nil {
			r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: "config with protected, unprotected, secret and not_secret", Input: input, Came: came(res) + "; without them it answered"})
		}
	}
}

func tightens(r *run, p *probe) {
	if d := p.described(); p.from == fromSchema && (d == nil || len(d.ChangesShell) == 0) {
		return
	}
	for _, q := range p.allowances() {
		for _, changed := range []string{`["directory"]`, `["environment"]`, `["directory","environment"]`} {
			e := inContext("shell_changed "+changed, "shell_changed", changed)
			r.try()
			input := e.do(q.envelope)
			given := allowance(q.verb, r.put(q.verb, input), q.rules)
			if given != "" && allowance(q.verb, q.answer.Result, q.rules) == "" {
				r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: e.name, Input: input, Came: given + "; without it there was no allowance"})
			}
		}
	}
}

// unknownTool asks about tools the module does not have. A module answering for an unknown name
// has them all.
func unknownTool(r *run) {
	if r.subject.Problem != nil {
		return
	}
	tools := r.subject.Described.Tools
	if slices.ContainsFunc(tools, func(t modules.ToolDescription) bool { return t.Name == modules.DefaultFallback }) {
		r.skip(r.now.ID, "the module has the tool "+modules.DefaultFallback+", which answers for names that nobody claims")
		return
	}
	t := r.gather(0)
	for _, p := range t.probes[:min(1, len(t.probes))] {
		for _, q := range p.questions() {
			for _, name := range []string{`"` + r.unguessable("tool") + `"`, `""`, `null`, `7`} {
				input := parseObject(q.envelope).with("tool", []byte(name)).text()
				r.try()
				if res := r.put(q.verb, input); res.Err == nil {
					r.fail(Finding{Verb: q.verb, Tried: "the tool " + name, Input: input, Came: came(res)})
				}
			}
		}
	}
}
