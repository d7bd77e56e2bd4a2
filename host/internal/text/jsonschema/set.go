package jsonschema

import "encoding/json"

// Set is schemas by name, which may refer to one another as #/properties/NAME. It is safe for
// concurrent use.
type Set struct{ all *Schema }

// ParseSet reads schemas of draft 2020-12, as Parse does.
func ParseSet(schemas map[string]any) (*Set, error) {
	text, err := json.Marshal(map[string]any{"properties": schemas, "additionalProperties": false})
	if err != nil {
		return nil, err
	}
	all, err := Parse(text)
	return &Set{all}, err
}

// Validate is Schema.Validate for the schema of that name. It is an error when there is none.
func (s *Set) Validate(name string, text []byte) error {
	value, err := Decode(text)
	if err != nil {
		return err
	}
	return s.all.validate(map[string]any{name: value})
}
