package conformance

import (
	"bytes"
	"slices"

	"github.com/callgate/callgate/host/internal/text/jsonschema"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// shrinkings is how many smaller inputs are tried for one finding.
const shrinkings = 300

// shrink minimises the input of a finding, keeping the same rule's finding about the same tool
// and verb.
func (f *fuzzer) shrink(p *probe, found Finding) Finding {
	rule := slices.DeleteFunc(slices.Clone(f.rules), func(t trials) bool { return t.ID != found.ID })
	best, left := p.call, shrinkings
	for smaller := true; smaller && left > 0 && f.run.ctx.Err() == nil; {
		smaller = false
		for _, input := range reductions(best.Input) {
			if left--; left < 0 {
				break
			}
			c := best
			c.Input = input
			again := f.run.probe(p.tool, c, p.from)
			if !again.ready() {
				continue
			}
			list := f.run.tryCall(rule, again)
			i := slices.IndexFunc(list, func(g Finding) bool { return g.Tool == found.Tool && g.Verb == found.Verb })
			if i >= 0 {
				best, found, smaller = c, list[i], true
				break
			}
		}
	}
	if found.Case == nil {
		found.Case = &Case{Call: best}
	}
	return found
}

// reductions are inputs smaller than one, the smallest first.
func reductions(input []byte) (list [][]byte) {
	value, err := jsonschema.Decode(input)
	if err != nil {
		return nil
	}
	for _, v := range smaller(value) {
		if strict, err := strictjson.Object(encoded(v)); err == nil && simpler(strict, input) {
			list = append(list, strict)
		}
	}
	slices.SortStableFunc(list, func(a, b []byte) int { return len(a) - len(b) })
	return list
}

// simpler orders inputs: by length, then by their bytes, so shrinking ends.
func simpler(a, b []byte) bool {
	return len(a) < len(b) || len(a) == len(b) && bytes.Compare(a, b) < 0
}

// smaller are values a step smaller than one.
func smaller(value any) (list []any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(v) {
			list = append(list, without(v, name))
			for _, s := range smaller(v[name]) {
				m := without(v, name)
				m[name] = s
				list = append(list, m)
			}
		}
	case []any:
		for i := range v {
			list = append(list, slices.Delete(slices.Clone(v), i, i+1))
			for _, s := range smaller(v[i]) {
				c := slices.Clone(v)
				c[i] = s
				list = append(list, c)
			}
		}
	case string:
		list = append(list, shorter(v)...)
	}
	return list
}

// shorter are texts with a part gone: a half, a quarter, one character.
func shorter(text string) (list []any) {
	runes := []rune(text)
	for size := len(runes); size > 0; size /= 2 {
		for at := 0; at < len(runes); at += size {
			list = append(list, string(runes[:at])+string(runes[min(at+size, len(runes)):]))
			if len(list) > 64 {
				return list
			}
		}
	}
	return list
}
