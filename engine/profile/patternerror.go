package profile

import "fmt"

// PatternError is one unusable pattern.
type PatternError struct {
	// List is allow, ask or deny; Index is the pattern's place in it, from 0.
	List    string
	Index   int
	Pattern string
	// Err names the position in the pattern, the mistake there and the fix.
	Err error
}

// Error implements error.
func (e *PatternError) Error() string {
	return fmt.Sprintf("%s[%d]: pattern %s: %v", e.List, e.Index, quote(e.Pattern), e.Err)
}

// Unwrap returns Err.
func (e *PatternError) Unwrap() error { return e.Err }

// Place returns List and Index, for callers with the places of the lists.
func (e *PatternError) Place() (list string, index int) { return e.List, e.Index }
