package wasmbin

import "fmt"

// Error describes a defect of a module, and its place.
type Error struct {
	// Offset is the place in the file.
	Offset int
	// Where is the section and, in code, the function; empty outside of sections.
	Where string
	Err   error
}

// Error implements error: "at 0x1a3: code section, function 12: ...".
func (e *Error) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("at 0x%x: %v", e.Offset, e.Err)
	}
	return fmt.Sprintf("at 0x%x: %s: %v", e.Offset, e.Where, e.Err)
}

// Unwrap returns the defect.
func (e *Error) Unwrap() error { return e.Err }

// LimitError means: a module declares too much.
type LimitError struct {
	// Limit is the name of the limit, as sandbox.Limits and the operator's
	// configuration spell it; a fixed bound is named likewise.
	Limit string
	Got   int64
	Most  int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("limit %s: %d, at most %d", e.Limit, e.Got, e.Most)
}

// atMost returns nil or a *LimitError.
func atMost[N int | uint32 | uint64](limit string, got, most N) error {
	if got <= most {
		return nil
	}
	return &LimitError{Limit: limit, Got: int64(got), Most: int64(most)}
}

// in adds the place to an error of a section, or of a function in it.
func in(where string, err error) error {
	if e, ok := err.(*Error); ok && e.Where == "" { //nolint:errorlint // the reader's own, not wrapped yet
		e.Where = where
	}
	return err
}
