package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object, its value as it is written.
type member struct {
	name  string
	value json.RawMessage
}

// object is a JSON object in the order of its text. It may hold a name twice, and invalid
// values: it makes the inputs no encoder makes.
type object []member

// parseObject reads an object; nil for anything else.
func parseObject(raw []byte) object {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	o := object{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		m := member{name: name.String()}
		value, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		m.value = bytes.Clone(value)
		o = append(o, m)
	}
	return o
}

// text is the object as JSON.
func (o object) text() []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encoded(m.name))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

// get is a member's value; nil without one.
func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// with is the object with another value of a member, added if missing. No value at all changes
// nothing.
func (o object) with(name string, value []byte) object {
	if value == nil {
		return o
	}
	out := make(object, len(o), len(o)+1)
	copy(out, o)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
			return out
		}
	}
	return append(out, member{name, value})
}

// without is the object without a member.
func (o object) without(name string) object {
	out := object{}
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return out
}

// and is the object with one member more, be its name there or not.
func (o object) and(name string, value []byte) object {
	return append(append(make(object, 0, len(o)+1), o...), member{name, value})
}

// within edits the object in a member; o stays as it is where the member is no object.
func (o object) within(name string, edit func(object) object) object {
	inner := parseObject(o.get(name))
	if inner == nil {
		return o
	}
	return o.with(name, edit(inner).text())
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// without is a copy of a map without a key.
func without(m map[string]any, key string) map[string]any {
	m = maps.Clone(m)
	delete(m, key)
	return m
}
