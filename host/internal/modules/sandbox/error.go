package sandbox

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// Kind tells how a guest failed.
type Kind = kernel.Kind

// The kinds of failure. All of them mean "this verb gave no answer".
const (
	KindTrap      = kernel.KindTrap      // unreachable, out of bounds, refused host function
	KindExit      = kernel.KindExit      // the guest called proc_exit
	KindTimeout   = kernel.KindTimeout   // the call's time was up
	KindFuel      = kernel.KindFuel      // the call's fuel was used up
	KindStack     = kernel.KindStack     // the guest called too deep
	KindMemory    = kernel.KindMemory    // the guest needs more memory than it may have
	KindCode      = kernel.KindCode      // a non-zero return code or error_set
	KindOutput    = kernel.KindOutput    // no output, too much of it, or not UTF-8
	KindInput     = kernel.KindInput     // the input is larger than the limit
	KindCancelled = kernel.KindCancelled // the caller gave up
)

// Error is a failed call of a guest. It unwraps to context.DeadlineExceeded or context.Canceled
// when caused by one.
type Error struct {
	Module string
	Export string
	Kind   Kind
	// Limit is the name of the limit that ended the call, as in Limits and the operator's
	// configuration ("fuel"); empty where there was none.
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

// Unwrap returns the cause, if callers branch on it.
func (e *Error) Unwrap() error { return e.cause }

// maxMessage caps an engine's message about a guest, in bytes.
const maxMessage = 512

// Clean makes a guest's text fit to be shown on one line: invalid UTF-8 is
// replaced, control and invisible format characters become blanks, runs of blanks one,
// and it is cut to limit bytes at a character's boundary.
func Clean(text string, limit int) string { return kernel.Clean(text, limit) }

// memorySetting is the configuration's name of the common memory of all modules; it is none of
// the Limits.
const memorySetting = kernel.MemorySetting

// classify turns wazero's error into an Error. guestMessage is the guest's last text for
// error_set, cleaned.
func classify(err error, guestMessage string) *Error {
	var t *kernel.Trap
	var short *memory.Short
	var e *Error
	switch {
	case errors.As(err, &t):
		e = trapped(t)
	case errors.As(err, &short):
		e = trapped(kernel.Shortage(short))
	default:
		e = &Error{Kind: KindTrap, Message: Clean(firstLine(err.Error()), maxMessage)}
		if strings.Contains(e.Message, "out of memory") {
			e.Kind = KindMemory
		}
	}
	if guestMessage != "" {
		e.Message += ": " + guestMessage
	}
	return e
}

// trapped is the Error of a trap.
func trapped(t *kernel.Trap) *Error {
	return &Error{Kind: t.Kind, Limit: t.Limit, Message: t.Message, cause: t.Cause}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
