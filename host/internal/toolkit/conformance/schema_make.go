package conformance

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/internal/text/jsonschema"
)

// deepest is how far a schema is followed into itself.
const deepest = 6

// make makes a value by a part of the schema; name is its member. The value need not be valid:
// instance runs the validator.
func (s *schema) make(r *rand.Rand, part any, name string, depth int) any {
	of, ok := s.resolve(part, 0).(map[string]any)
	if !ok || depth > deepest {
		return s.text(r, name)
	}
	of = s.merged(r, of)
	if fixed, ok := of["const"]; ok {
		return fixed
	}
	if values, ok := of["enum"].([]any); ok && len(values) > 0 {
		return values[r.IntN(len(values))]
	}
	if seen := s.seen[name]; len(seen) > 0 && depth > 0 && r.IntN(3) == 0 {
		return seen[r.IntN(len(seen))]
	}
	switch typeOf(r, of) {
	case "object":
		return s.object(r, of, depth)
	case "array":
		return s.list(r, of, name, depth)
	case "integer", "number":
		return number(r, of)
	case "boolean":
		return r.IntN(2) == 0
	case "null":
		return nil
	}
	return fitted(s.text(r, name), of)
}

// resolve follows references into the schema itself.
func (s *schema) resolve(part any, hops int) any {
	of, _ := part.(map[string]any)
	ref, ok := of["$ref"].(string)
	if !ok || hops > deepest {
		return part
	}
	return s.resolve(jsonschema.At(s.root, ref), hops+1)
}

// merged is a part with one of its alternatives, and all of allOf, put into it.
func (s *schema) merged(r *rand.Rand, of map[string]any) map[string]any {
	of = maps.Clone(of)
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := of[word].([]any); ok && len(list) > 0 {
			mergeInto(of, s.resolve(list[r.IntN(len(list))], 0))
		}
	}
	if list, ok := of["allOf"].([]any); ok {
		for _, one := range list {
			mergeInto(of, s.resolve(one, 0))
		}
	}
	return of
}

func mergeInto(of map[string]any, part any) {
	m, _ := part.(map[string]any)
	for k, v := range m {
		switch old := of[k].(type) {
		case map[string]any:
			both := maps.Clone(old)
			more, _ := v.(map[string]any)
			maps.Copy(both, more)
			of[k] = both
		case []any:
			more, _ := v.([]any)
			of[k] = slices.Concat(old, more)
		default:
			of[k] = v
		}
	}
}

func typeOf(r *rand.Rand, of map[string]any) string {
	switch t := of["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			name, _ := t[r.IntN(len(t))].(string)
			return name
		}
	}
	switch {
	case of["properties"] != nil:
		return "object"
	case of["items"] != nil:
		return "array"
	}
	return "string"
}

func (s *schema) object(r *rand.Rand, of map[string]any, depth int) any {
	out := map[string]any{}
	properties, _ := of["properties"].(map[string]any)
	required, _ := of["required"].([]any)
	for _, name := range sortedKeys(properties) {
		if slices.Contains(required, any(name)) || r.IntN(3) == 0 {
			out[name] = s.make(r, properties[name], name, depth+1)
		}
	}
	for _, one := range required {
		if name, ok := one.(string); ok && out[name] == nil && properties[name] == nil {
			out[name] = s.make(r, of["additionalProperties"], name, depth+1)
		}
	}
	return out
}

func (s *schema) list(r *rand.Rand, of map[string]any, name string, depth int) any {
	least, most := bound(of, "minItems", 0), bound(of, "maxItems", 4)
	n := least
	if most > least {
		n += r.IntN(min(most-least, 3) + 1)
	}
	out := make([]any, min(n, 16))
	for i := range out {
		out[i] = s.make(r, of["items"], name, depth+1)
	}
	return out
}

func bound(of map[string]any, word string, otherwise int) int {
	if n, ok := of[word].(json.Number); ok {
		if v, err := strconv.Atoi(n.String()); err == nil {
			return v
		}
	}
	return otherwise
}

// numbers are those where programs err.
var numbers = []string{"0", "1", "-1", "2", "10", "255", "65536", "2147483648", "9007199254740993"}

func number(r *rand.Rand, of map[string]any) any {
	if least := bound(of, "minimum", 0); of["minimum"] != nil || of["maximum"] != nil {
		most := bound(of, "maximum", least+100)
		return json.Number(strconv.Itoa(least + r.IntN(max(most-least, 0)+1)))
	}
	return json.Number(numbers[r.IntN(len(numbers))])
}

// texts are those where programs err.
var texts = []string{"a", "x y", "", ".", "..", "/", "../x", "/etc/passwd", "~", "*", "a*", "é", "日本", "-x", "--help", "a/b", "a/b/c", "A", "a\nb", "a\tb",
	"0", "true", "null", `"`, `\`, "{}", "a:b", "a;b", "$(a)", "https://example.com/a", "http://127.0.0.1/", "a@b", "%2e%2e", "\u202ea", "a\u0000b"}

// text is a value of a member: one used by the author, one near to it, or any.
func (s *schema) text(r *rand.Rand, name string) string {
	var own []string
	for _, v := range s.seen[name] {
		if t, ok := v.(string); ok {
			own = append(own, t)
		}
	}
	if len(own) == 0 || r.IntN(4) == 0 {
		return texts[r.IntN(len(texts))]
	}
	t := own[r.IntN(len(own))]
	switch r.IntN(6) {
	case 0:
		return t + "x"
	case 1:
		return "x" + t
	case 2:
		return t + " " + own[r.IntN(len(own))]
	case 3:
		return t + "/" + texts[r.IntN(len(texts))]
	}
	return t
}

// fitted cuts or fills a text to the lengths of its schema.
func fitted(t string, of map[string]any) string {
	if n := bound(of, "minLength", 0); len([]rune(t)) < n && n < 1<<12 {
		t += strings.Repeat("a", n-len([]rune(t)))
	}
	if n := bound(of, "maxLength", -1); n >= 0 && len([]rune(t)) > n {
		t = string([]rune(t)[:n])
	}
	return t
}
