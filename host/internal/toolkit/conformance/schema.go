package conformance

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"

	"github.com/callgate/callgate/host/internal/text/jsonschema"
)

// schema makes inputs of a tool's input_schema. An unusable or missing one makes and judges
// nothing.
type schema struct {
	// problem is why the schema cannot be used; nil for none at all.
	problem error
	root    map[string]any
	valid   *jsonschema.Schema
	// seen are values of members in the author's own inputs, by the member's name.
	seen map[string][]any
}

func newSchema(raw []byte) *schema {
	s := &schema{seen: map[string][]any{}}
	if len(raw) == 0 {
		return s
	}
	root, _ := jsonschema.Decode(raw) // Parse says what is wrong
	s.root, _ = root.(map[string]any)
	s.valid, s.problem = jsonschema.Parse(raw)
	return s
}

// usable reports whether the schema says anything.
func (s *schema) usable() bool { return s.valid != nil && s.root != nil }

// accepts reports whether the schema allows an input; ok is false where it cannot
// tell.
func (s *schema) accepts(input []byte) (valid, ok bool) {
	if !s.usable() || !json.Valid(input) {
		return false, false
	}
	return s.valid.Validate(input) == nil, true
}

// objection is the schema's error about an input; nil for none.
func (s *schema) objection(input []byte) error { return s.valid.Validate(input) }

// properties are the schema's members at its top.
func (s *schema) properties() map[string]any {
	p, _ := s.root["properties"].(map[string]any)
	return p
}

// required are the required members.
func (s *schema) required() []string {
	var names []string
	list, _ := s.root["required"].([]any)
	for _, one := range list {
		if name, ok := one.(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// closed reports whether the schema allows no members but those it names.
func (s *schema) closed() bool {
	more, there := s.root["additionalProperties"].(bool)
	return there && !more
}

// learn remembers the values of an author's input.
func (s *schema) learn(input []byte) {
	value, err := jsonschema.Decode(input)
	if err == nil {
		s.remember("", value, 0)
	}
}

func (s *schema) remember(name string, value any, depth int) {
	switch v := value.(type) {
	case map[string]any:
		for _, k := range sortedKeys(v) {
			s.remember(k, v[k], depth+1)
		}
	case []any:
		for _, item := range v {
			s.remember(name, item, depth+1)
		}
	}
	known := slices.ContainsFunc(s.seen[name], func(x any) bool { return string(encoded(x)) == string(encoded(value)) })
	if depth > 0 && depth < 8 && !known && len(s.seen[name]) < 32 {
		s.seen[name] = append(s.seen[name], value)
	}
}

// encoded is a value as JSON, without HTML escapes.
func encoded(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return nil
	}
	return bytes.TrimSpace(out.Bytes())
}

// instance makes an input allowed by the schema. It fails for schemas hard to satisfy by
// chance, and for empty ones.
func (s *schema) instance(r *rand.Rand) ([]byte, bool) {
	if !s.usable() {
		return nil, false
	}
	input := encoded(s.make(r, s.root, "", 0))
	valid, _ := s.accepts(input)
	return input, valid && bytes.HasPrefix(input, []byte("{"))
}
