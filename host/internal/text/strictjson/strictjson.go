// Package strictjson explains errors in a JSON text by the names of its members and not our
// types.
package strictjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Fault is a defect of a JSON text.
type Fault struct {
	// Field is the member, as a.b.0; empty for the text as a whole.
	Field string
	Text  string
	// Unknown marks a member without a meaning, Syntax a text outside strict JSON.
	Unknown, Syntax bool
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Field == "" {
		return f.Text
	}
	return f.Field + ": " + f.Text
}

// Explain turns a decoder's error into a *Fault; any other error comes back as
// it is.
func Explain(err error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		text := fmt.Sprintf("not strict JSON at byte %d: %s", syntactic.ByteOffset, cause(syntactic.Err, err))
		return &Fault{Field: dotted(syntactic.JSONPointer), Text: text, Syntax: true}
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return &Fault{Field: dotted(semantic.JSONPointer), Text: "there is no such member", Unknown: true}
	case errors.As(err, &semantic):
		return &Fault{Field: dotted(semantic.JSONPointer), Text: mismatch(semantic)}
	}
	return err
}

func mismatch(e *json.SemanticError) string {
	if e.Err != nil {
		return e.Err.Error()
	}
	got, want := "this value", "another type"
	if e.JSONKind != 0 {
		got = "a JSON " + e.JSONKind.String()
	}
	if e.GoType != nil {
		want = wireType(e.GoType.Kind().String())
	}
	return fmt.Sprintf("got %s, want %s", got, want)
}

// wireType names a Go kind as JSON does.
func wireType(kind string) string {
	switch {
	case kind == "string" || kind == "bool":
		return "a JSON " + strings.Replace(kind, "bool", "boolean", 1)
	case kind == "slice" || kind == "array":
		return "a JSON array"
	case kind == "map" || kind == "struct":
		return "a JSON object"
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint") || strings.HasPrefix(kind, "float"):
		return "a JSON number in range"
	}
	return "another type"
}

func cause(inner, outer error) string {
	if inner != nil {
		return inner.Error()
	}
	return outer.Error()
}

// dotted writes a JSON pointer as a.b.0.
func dotted(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}
