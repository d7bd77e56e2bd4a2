package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

const mendJSON = "Use a strict reader for the whole input and return 1 with error_set for what it refuses; never judge what was read until the error."

// encodingRules are about inputs outside the ABI's JSON.
var encodingRules = []trials{
	{Rule: Rule{"json.empty", "no input is no call: it gets an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(fixed("an empty input", ""), fixed("an input of blanks", " \n"))},
	{Rule: Rule{"json.invalid", "what is no JSON gets an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(
			cut("the envelope without its last byte", 1), cut("the envelope without its last two bytes", 2),
			edit{"a comma before the last bracket", func(e []byte) []byte { return append(bytes.Clone(e[:len(e)-1]), ",}"...) }},
			edit{"a comment before the envelope", func(e []byte) []byte { return append([]byte("/* */"), e...) }},
			edit{"a list around the envelope", func(e []byte) []byte { return fmt.Appendf(nil, "[%s]", e) }},
			onObject("a value that is no JSON", func(o object) object { return o.and("zq", []byte("NaN")) }),
			onObject("a line feed within a text", func(o object) object { return o.and("zq", []byte("\"a\nb\"")) }),
			onObject("a number with a leading zero", func(o object) object { return o.and("zq", []byte("01")) }))},
	{Rule: Rule{"json.trailing", "what stands behind the one value gets an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(
			edit{"a letter after the envelope", func(e []byte) []byte { return append(bytes.Clone(e), 'x') }},
			edit{"a second object after the envelope", func(e []byte) []byte { return append(bytes.Clone(e), "{}"...) }},
			edit{"a NUL after the envelope", func(e []byte) []byte { return append(bytes.Clone(e), 0) }})},
	{Rule: Rule{"json.bom", "a byte order mark, or another encoding than UTF-8, gets an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(
			edit{"a byte order mark before the envelope", func(e []byte) []byte { return append([]byte("\xef\xbb\xbf"), e...) }},
			edit{"the envelope in UTF-16", utf16})},
	{Rule: Rule{"json.duplicate", "a name that occurs twice in one object gets an error, or no allowance", Failed, "Encoding",
		"Refuse an object that names a member twice, at any depth: readers differ in which one they take, and one of them runs the call."},
		tool: cautious(duplicates()...)},
	{Rule: Rule{"json.utf8", "bytes that are not UTF-8 get an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(inText("a byte that is no UTF-8", "\xff"), inText("an overlong slash", "\xc0\xaf"), inText("a surrogate in UTF-8", "\xed\xa0\x80"), inText("half a character", "\xe2\x82"))},
	{Rule: Rule{"json.surrogate", "half of a surrogate pair gets an error, or no allowance", Failed, "Encoding", mendJSON},
		tool: cautious(inText("a high surrogate alone", `\ud800`), inText("a low surrogate alone", `\udc00`), inText("two high surrogates", `\ud800\ud800`))},
	{Rule: Rule{"json.names", "names of the envelope in another case are other names", Failed, "Encoding",
		"Compare names byte for byte. Some JSON readers ignore case unless they are told not to."},
		tool: cautious(renamed("input", "Input"), renamed("input", "INPUT"), renamed("tool", "Tool"), renamed("rules", "Rules"))},
	{Rule: Rule{"json.deep", "deep nesting gets an answer or an error of the module's own", Advice, "Encoding",
		"Bound the depth that your reader follows (1000 is plenty) and return an error beyond it: a stack that runs out tells nobody why."}, tool: nests},
}

func fixed(name, text string) edit {
	return edit{name, func([]byte) []byte { return []byte(text) }}
}

func cut(name string, n int) edit {
	return edit{name, func(e []byte) []byte { return bytes.Clone(e[:max(len(e)-n, 0)]) }}
}

func utf16(e []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, b := range e {
		out = append(out, b, 0)
	}
	return out
}

func duplicates() []edit {
	list := []edit{
		onObject("the member tool twice", func(o object) object { return o.and("tool", o.get("tool")) }),
		onObject("the member input twice, first an empty one", func(o object) object {
			return append(object{{"input", json.RawMessage(`{}`)}}, o...)
		}),
		onObject("the member input twice, last an empty one", func(o object) object { return o.and("input", []byte(`{}`)) }),
		onObject("the member cwd of the context twice", func(o object) object {
			return o.within("context", func(c object) object { return c.and("cwd", c.get("cwd")) })
		}),
	}
	for _, at := range []string{"first", "last"} {
		list = append(list, onObject("a member of the input twice, "+at+" with another value", func(o object) object {
			return o.within("input", func(in object) object {
				if len(in) == 0 {
					return in
				}
				other := member{in[0].name, json.RawMessage(`"zq"`)}
				if at == "first" {
					return append(object{other}, in...)
				}
				return in.and(other.name, other.value)
			})
		}))
	}
	return list
}

// inText puts bytes into the first text of the input, and into an unknown member.
func inText(name, text string) edit {
	return onObject(name, func(o object) object {
		done := false
		o = o.within("input", func(in object) object {
			for _, m := range in {
				if bytes.HasPrefix(m.value, []byte(`"`)) {
					done = true
					return in.with(m.name, append(append(bytes.Clone(m.value[:len(m.value)-1]), text...), '"'))
				}
			}
			return in
		})
		if done {
			return o
		}
		return o.and("zq", []byte(`"`+text+`"`))
	})
}

func renamed(name, other string) edit {
	return onObject("the member "+name+" of the envelope called "+other, func(o object) object {
		for i := range o {
			if o[i].name == name {
				return append(o[:i:i], append(object{{other, o[i].value}}, o[i+1:]...)...)
			}
		}
		return o
	})
}

// nests puts deep lists and objects to the module, known to no reader.
func nests(r *run, t *toolTrial) {
	for _, p := range t.bases()[:min(1, len(t.probes))] {
		for _, q := range p.questions() {
			for _, deep := range []string{nest(`[`, `]`, 20_000), nest(`{"a":`, `}`, 20_000)} {
				o := parseObject(q.envelope)
				input := o.within("input", func(in object) object { return in.and("zq_deep", []byte(deep)) }).text()
				r.try()
				res := r.put(q.verb, input)
				var failed *sandbox.Error
				if errors.As(res.Err, &failed) && failed.Kind != sandbox.KindCode {
					r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: "a member of the input that is nested 20,000 deep", Input: input, Came: came(res)})
				}
			}
		}
		p.forget()
	}
}

func nest(open, end string, depth int) string {
	return strings.Repeat(open, depth) + "1" + strings.Repeat(end, depth)
}
