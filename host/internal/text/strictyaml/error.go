package strictyaml

import (
	"errors"
	"fmt"
	"strings"
)

// Position is a place in a file; lines and columns count from 1. The zero value
// means "no place known".
type Position struct {
	Line   int
	Column int
}

// Places tells where the value of each field stands, by the path of keys to it,
// such as "agents.builder.rules[2].match[0]".
type Places map[string]Position

// Of returns the position of field, or of the nearest thing around it with one.
func (p Places) Of(field string) Position {
	for field != "" {
		if at, ok := p[field]; ok {
			return at
		}
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return Position{}
}

// Error is one thing wrong in a file.
type Error struct {
	File string
	Position
	// Field is the path of keys to the value, such as "agents.builder.mode".
	Field string
	// Msg describes the error, and the fix.
	Msg string
}

// Error implements error: "file:line:column: field: message".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	if e.Field != "" {
		b.WriteString(": " + e.Field)
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

// maxErrors bounds how many errors of one file are told.
const maxErrors = 20

// List gathers errors of one file. The zero value is ready for use.
type List struct {
	File string
	errs []error
}

// Add notes one error; from the 20th on only the first ones are kept.
func (l *List) Add(at Position, field, format string, args ...any) {
	if len(l.errs) < maxErrors {
		l.errs = append(l.errs, &Error{File: l.File, Position: at, Field: field, Msg: fmt.Sprintf(format, args...)})
	}
}

// Err returns the errors joined, one per line; nil when there are none.
func (l *List) Err() error { return errors.Join(l.errs...) }

// Errors lists the errors joined by Decode and List.Err; an error of another kind becomes one
// without a place.
func Errors(err error) []*Error {
	var one *Error
	var many interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &many):
		var out []*Error
		for _, e := range many.Unwrap() {
			out = append(out, Errors(e)...)
		}
		return out
	case errors.As(err, &one):
		return []*Error{one}
	}
	return []*Error{{Msg: err.Error()}}
}
