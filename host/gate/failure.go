package gate

import (
	"errors"
	"strings"
)

// failure is what went wrong while a call was prepared, as one line: it is told
// to the model and on the card.
type failure struct {
	text string
	err  error
}

// Error implements error.
func (f failure) Error() string { return f.text }

// Unwrap gives errors.Is and errors.As what is behind the line.
func (f failure) Unwrap() error { return f.err }

// oneLine joins errors; one that several parts met is told once.
func oneLine(errs ...error) error {
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	var lines []string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line = strings.TrimSpace(line); line != "" && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return failure{strings.Join(lines, "; "), err}
}
