package jsonschema

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// endless reports whether a schema applies itself to the same value, by way of $ref, allOf and
// the like: the library would overflow its stack.
func endless(root any) bool {
	const open, done = 1, 2
	state := map[uintptr]int{}
	var loops func(part any) bool
	loops = func(part any) bool {
		of, ok := part.(map[string]any)
		if !ok {
			return false
		}
		id := reflect.ValueOf(of).Pointer()
		if state[id] != 0 {
			return state[id] == open
		}
		state[id] = open
		if slices.ContainsFunc(inPlace(root, of), loops) {
			return true
		}
		state[id] = done
		return false
	}
	var visit func(value any) bool
	visit = func(value any) bool {
		switch v := value.(type) {
		case map[string]any:
			return loops(v) || slices.ContainsFunc(slices.Collect(maps.Values(v)), visit)
		case []any:
			return slices.ContainsFunc(v, visit)
		}
		return false
	}
	return visit(root)
}

// inPlace are the schemas that a schema applies to the value that it is applied to.
func inPlace(root any, of map[string]any) []any {
	parts := []any{of["not"], of["if"], of["then"], of["else"]}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := of[word].([]any)
		parts = append(parts, list...)
	}
	for _, word := range []string{"dependentSchemas", "dependencies"} {
		named, _ := of[word].(map[string]any)
		parts = slices.AppendSeq(parts, maps.Values(named))
	}
	if ref, ok := of["$ref"].(string); ok {
		parts = append(parts, At(root, ref))
	}
	return parts
}

// escape writes a name as a step of a JSON pointer, unescape reads it.
var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// At is the part of a value that a reference of the form # or #/... names; nil for none.
func At(value any, ref string) any {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil {
		return nil
	}
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			value = v[unescape.Replace(step)]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
