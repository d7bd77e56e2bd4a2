package sandbox

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/host/sandbox/internal/memory"
)

// Kind tells how a guest failed.
type Kind string

// The kinds of failure. All of them mean "this verb gave no answer".
const (
	KindTrap      Kind = "trap"      // unreachable, out of bounds, stack overflow, refused host function
	KindExit      Kind = "exit"      // the guest called proc_exit
	KindTimeout   Kind = "time-out"  // the call's time was up
	KindFuel      Kind = "fuel"      // the call's fuel was used up
	KindStack     Kind = "stack"     // the guest called too deep
	KindMemory    Kind = "memory"    // the guest needs more memory than it may have
	KindCode      Kind = "code"      // a non-zero return code or error_set
	KindOutput    Kind = "output"    // no output, too much of it, or not UTF-8
	KindInput     Kind = "input"     // the input is larger than the limit
	KindCancelled Kind = "cancelled" // the caller gave up
)

// Error is a failed call of a guest. It unwraps to context.DeadlineExceeded or
// context.Canceled where that is the cause.
type Error struct {
	Module string
	Export string
	Kind   Kind
	// Limit is the name of the limit that ended the call, as Limits and the
	// operator's configuration spell it ("fuel"); empty where there was none.
	Limit string
	// Message is one line without control characters. It may hold the guest's own
	// words, at most Limits.ErrorBytes of them: untrusted text.
	Message string
	cause   error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("tool %s: %s: %s: %s", e.Module, e.Export, e.Kind, e.Message)
}

// Unwrap returns the cause, if it is an error that callers branch on.
func (e *Error) Unwrap() error { return e.cause }

// maxMessage caps what an engine says about a guest, in bytes.
const maxMessage = 512

// Clean makes a guest's text fit to be shown on one line: invalid UTF-8 is
// replaced, control and invisible format characters become blanks, runs of blanks one,
// and it is cut to limit bytes at a character's boundary.
func Clean(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	text = text[:limit]
	for len(text) > 0 && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// trap is the panic by which a host function stops its guest; it is the only
// way wazero offers. The engine recovers it and returns it from the call.
type trap struct {
	kind    Kind
	limit   string
	message string
	cause   error
}

// Error implements error.
func (t *trap) Error() string { return t.message }

// classify turns what wazero returned into an Error. guestMessage is what the
// guest had stored with error_set before it died, clean.
func classify(err error, guestMessage string) *Error {
	e := &Error{Kind: KindTrap, Message: firstLine(err.Error())}
	var t *trap
	var short *memory.Short
	switch {
	case errors.As(err, &short):
		t = shortage(short)
		e.Kind, e.Limit, e.Message = t.kind, t.limit, t.message
	case errors.As(err, &t):
		e.Kind, e.Limit, e.Message, e.cause = t.kind, t.limit, t.message, t.cause
	case strings.Contains(e.Message, "out of memory"):
		e.Kind = KindMemory
	}
	e.Message = Clean(e.Message, maxMessage)
	if guestMessage != "" {
		e.Message += ": " + guestMessage
	}
	return e
}

// memorySetting is the name, in the configuration, of what all modules have
// together; it is none of the Limits.
const memorySetting = "modules.memory_mib"

// shortage ends a call that needs memory which is not there.
func shortage(short *memory.Short) *trap {
	return &trap{kind: KindMemory, limit: memorySetting, message: short.Error()}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
