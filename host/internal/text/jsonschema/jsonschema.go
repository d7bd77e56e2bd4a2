// Package jsonschema judges JSON texts by a JSON Schema of draft 2020-12 or 7. See RATIONALE.md,
// "Why is a JSON Schema checked before the library reads it?".
package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"sync"

	google "github.com/google/jsonschema-go/jsonschema"
)

// Schema is a schema that can be used. It is safe for concurrent use.
type Schema struct {
	strict *google.Resolved
	// loose has anyOf for oneOf, because the library gives reasons for anyOf alone. It only
	// explains.
	loose func() (*google.Resolved, error)
}

// Parse reads a schema, of draft 2020-12 unless it says 7. It refuses every other draft, a
// keyword with a wrong value or in another case, a $ref other than # and #/..., a $dynamicRef,
// a $id below the top, and a schema that applies itself to the same value without end. The
// schema's formats are not judged.
func Parse(text []byte) (*Schema, error) {
	value, err := Decode(text)
	if err != nil {
		return nil, err
	}
	draft7 := false
	if root, ok := value.(map[string]any); ok {
		draft, _ := root["$schema"].(string)
		switch strings.TrimSuffix(draft, "#") {
		case "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema":
			draft7, root["$schema"] = true, "http://json-schema.org/draft-07/schema#" // as the library spells it
		case "https://json-schema.org/draft/2020-12/schema", "":
			delete(root, "$schema")
		default:
			return nil, fmt.Errorf("/$schema: want draft 2020-12 or 7, not %q", draft)
		}
		delete(root, "$id") // no reference needs it
	}
	if err := (checker{draft7}).check("", part, value); err != nil {
		return nil, err
	}
	if endless(value) {
		return nil, errors.New("the schema applies itself to the same value without end")
	}
	// Encoded anew, the library reads what was checked, also where a name is there twice.
	if text, err = json.Marshal(floats(value)); err != nil {
		return nil, err
	}
	strict, err := resolved(text)
	if err != nil {
		return nil, err
	}
	return &Schema{strict, sync.OnceValues(func() (*google.Resolved, error) {
		return resolved(bytes.ReplaceAll(text, []byte(`"oneOf":`), []byte(`"anyOf":`)))
	})}, nil
}

func resolved(text []byte) (*google.Resolved, error) {
	var s google.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// Validate is nil for a JSON text that fits the schema. Otherwise its error names the place in
// the schema and the reason. Numbers are judged as float64.
func (s *Schema) Validate(text []byte) error {
	value, err := Decode(text)
	if err != nil {
		return err
	}
	return s.validate(value)
}

func (s *Schema) validate(value any) error {
	err := judge(s.strict, value)
	if err == nil {
		return nil
	}
	if loose, failed := s.loose(); failed == nil {
		if reasons := judge(loose, value); reasons != nil {
			return reasons
		}
	}
	return err
}

// trail is where the library was in the schema.
var trail = regexp.MustCompile(`(?:validating .*?: )+`)

func judge(by *google.Resolved, value any) error {
	if err := by.Validate(floats(value)); err != nil {
		return errors.New(trail.ReplaceAllStringFunc(err.Error(), shortened))
	}
	return nil
}

// shortened leaves out of a trail the places above its next one.
func shortened(trail string) string {
	var kept []string
	for _, step := range strings.Split(trail, "validating ")[1:] {
		place := strings.TrimSuffix(step, ": ")
		if last := len(kept) - 1; last >= 0 && (kept[last] == "root" || strings.HasPrefix(place, kept[last]+"/")) {
			kept[last] = place
		} else {
			kept = append(kept, place)
		}
	}
	return strings.Join(kept, ": ") + ": "
}

// Decode reads one JSON text, with nothing after it. Its numbers are a json.Number.
func Decode(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more after the JSON value")
	}
	return value, nil
}

// floats is a value with a float64 for each number: the library takes a json.Number for a
// string, and counts an infinite number as 0.
func floats(value any) any {
	switch v := value.(type) {
	case json.Number:
		f, _ := v.Float64() // of JSON's numbers only the range can be wrong
		return max(min(f, math.MaxFloat64), -math.MaxFloat64)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = floats(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = floats(item)
		}
		return out
	}
	return value
}
