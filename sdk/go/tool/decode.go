package tool

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// envelope is what every verb but describe gets. Members it does not name are
// ignored: later ABI versions may add some.
type envelope struct {
	Tool      string         `json:"tool"`
	Input     jsontext.Value `json:"input"`
	Config    jsontext.Value `json:"config"`
	Context   Context        `json:"context"`
	Behavior  Behavior       `json:"behavior"`
	Rules     []Rule         `json:"rules"`
	Effects   bool           `json:"effects"`
	Covers    bool           `json:"covers"`
	RuleWords bool           `json:"rule_words"`
}

// decodeEnvelope refuses duplicate names at any depth, invalid UTF-8, lone
// surrogates and trailing data; names are case-sensitive.
func decodeEnvelope(data []byte) (*envelope, error) {
	if env := quickEnvelope(data); env != nil {
		return env, nil
	}
	return decodeWhole(data)
}

// decodeWhole is decodeEnvelope by the complete decoder.
func decodeWhole(data []byte) (*envelope, error) {
	if nesting(data) > maxNesting { // first: reading takes stack for each level
		return nil, fmt.Errorf("envelope: nested deeper than %d levels", maxNesting)
	}
	var env envelope
	if err := json.Unmarshal(data, &env); err != nil {
		return nil, fmt.Errorf("envelope: %w", err)
	}
	if env.Tool == "" {
		return nil, errors.New("envelope: no tool")
	}
	return &env, nil
}

// maxNesting is how many objects and lists may stand in one another, the envelope
// itself being the first. Source: docs/abi.md.
const maxNesting = 1000

// nesting is the depth of data, right for JSON; 0 for what is too short to be deep.
func nesting(data []byte) (deepest int) {
	if len(data) <= maxNesting {
		return 0
	}
	depth, text := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// Decode reads one JSON value as the SDK reads inputs: names have one case and occur
// once, texts are UTF-8, nothing follows. It is for what a Call has as JSON, such as
// Config; encoding/json would take {"Production": ...} for production.
func Decode(raw []byte, into any) error { return json.Unmarshal(raw, into) }

// decodeInput decodes a call's input into *in; the error names the member.
func decodeInput(input jsontext.Value, in any) error {
	switch {
	case len(input) == 0:
		return errors.New("there is no input")
	case input.Kind() != '{':
		return fmt.Errorf("want an object, got a %s", input.Kind())
	}
	err := json.Unmarshal(input, in)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.JSONPointer != "" {
		member := strings.TrimPrefix(string(semantic.JSONPointer), "/")
		if semantic.GoType != nil {
			return fmt.Errorf("member %q: a JSON %s does not fit %s", member, semantic.JSONKind, semantic.GoType)
		}
		return fmt.Errorf("member %q does not fit", member)
	}
	return err
}

// readInput decodes a call's input into *in, which points to a t, and returns the
// members that t does not have, as unknownMembers lists them. Most inputs have
// none, and are read once.
func readInput(t reflect.Type, input jsontext.Value, in any) (unknown []string, err error) {
	if quickInput(t, input, in) {
		return nil, missing(t, input, "")
	}
	reflect.ValueOf(in).Elem().SetZero()
	if input.Kind() == '{' && json.Unmarshal(input, in, json.RejectUnknownMembers(true)) == nil {
		return nil, missing(t, input, "")
	}
	reflect.ValueOf(in).Elem().SetZero()
	if err := decodeInput(input, in); err != nil {
		return nil, err
	}
	return unknownMembers(t, input), missing(t, input, "")
}

// unknownMembers lists the members of input, an object that decodes into t, that
// t does not have, in order of their names; nested ones as "a/b". A type that
// takes anything (a map, an interface, one that decodes itself) knows every
// member.
func unknownMembers(t reflect.Type, input jsontext.Value) []string {
	var found []string
	collectUnknown(t, input, "", &found)
	slices.Sort(found)
	return found
}

var unmarshalers = []reflect.Type{
	reflect.TypeFor[json.Unmarshaler](),
	reflect.TypeFor[json.UnmarshalerFrom](),
}

func collectUnknown(t reflect.Type, value jsontext.Value, prefix string, found *[]string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if slices.ContainsFunc(unmarshalers, reflect.PointerTo(t).Implements) {
		return
	}
	switch {
	case t.Kind() == reflect.Struct && value.Kind() == '{':
		fields := fieldTypes(t)
		members := jsontext.NewDecoder(bytes.NewReader(value))
		_, err := members.ReadToken()
		for err == nil && members.PeekKind() == '"' {
			var name jsontext.Token
			if name, err = members.ReadToken(); err != nil {
				break
			}
			key := name.String()
			var member jsontext.Value
			if member, err = members.ReadValue(); err != nil {
				break
			}
			if field, ok := fields[key]; ok {
				collectUnknown(field, member, prefix+key+"/", found)
			} else {
				*found = append(*found, prefix+key)
			}
		}
		if err != nil { // cannot be: the same bytes were decoded before
			*found = append(*found, prefix+err.Error())
		}
	case (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && value.Kind() == '[':
		var items []jsontext.Value
		_ = json.Unmarshal(value, &items) // as above
		for i, item := range items {
			collectUnknown(t.Elem(), item, fmt.Sprintf("%s%d/", prefix, i), found)
		}
	}
}

// known holds what fieldTypes found, by reflect.Type: in a module it is part of the
// state with which calls begin.
var known sync.Map

// fieldTypes returns the JSON names of a struct's fields with their types. The
// caller must not change it.
func fieldTypes(t reflect.Type) map[string]reflect.Type {
	if fields, ok := known.Load(t); ok {
		return fields.(map[string]reflect.Type)
	}
	fields := map[string]reflect.Type{}
	for _, f := range fieldsOf(t) {
		fields[f.name] = f.of
	}
	known.Store(t, fields)
	return fields
}
