package kernel

import (
	"context"
	"errors"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// Kind tells how a guest failed.
type Kind string

// The kinds of failure. All of them mean "this verb gave no answer".
const (
	KindTrap      Kind = "trap"      // unreachable, out of bounds, refused host function
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

// Trap is the reason for a failed call. As the panic of a host function it is wazero's only way
// to stop a guest; wazero recovers it and returns it from the call.
type Trap struct {
	Kind Kind
	// Limit is the name of the limit that ended the call, as in the configuration; empty where
	// there was none.
	Limit string
	// Message is one line.
	Message string
	// Cause is context.DeadlineExceeded or context.Canceled, or nil.
	Cause error
}

// Error implements error.
func (t *Trap) Error() string { return t.Message }

// Cancelled is the end of a call whose context is done.
func Cancelled(cause error) *Trap {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Trap{Kind: KindTimeout, Message: "the module took too long", Cause: cause}
	}
	return &Trap{Kind: KindCancelled, Message: "the caller gave up", Cause: cause}
}

// MemorySetting is the configuration's name of the common memory of all modules; it is none of
// the Limits.
const MemorySetting = "modules.memory_mib"

// Shortage is the end of a call for want of memory.
func Shortage(short *memory.Short) *Trap {
	return &Trap{Kind: KindMemory, Limit: MemorySetting, Message: short.Error()}
}
