package runner

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// Daemon is the hook's view of the daemon. *caller.Caller is one.
type Daemon interface {
	// Check has a call decided. Cancelling ctx withdraws the call.
	Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error)
	// Finish reports a call's end.
	Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error)
}

// The reasons for an early end of a hook. The caller cancels the context of Run with one as its
// cause.
var (
	// errLate: the client's time is nearly over.
	errLate = errors.New("no decision in time")
	// ErrEnded: the client ended the hook.
	ErrEnded = errors.New("the hook was stopped before the call was decided")
	// ErrClientGone: the hook's answer has no reader any more.
	ErrClientGone = errors.New("the client has ended")
)

// Within runs answer, and returns its result, or that of failed: after a panic, when ctx ends, and
// after four fifths of limit, the client's patience, because a client runs the call of a late hook
// (threat T09). answer may still run then.
func Within[A any](ctx context.Context, limit time.Duration, known *Progress, answer func(context.Context) A, failed func(error) A) A {
	limit -= limit / 5
	late := fmt.Errorf("%w (%s)", errLate, limit.Round(time.Millisecond))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	done := make(chan A, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- failed(fmt.Errorf("the hook crashed (%T)", p))
			}
		}()
		done <- answer(ctx)
	}()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
		return failed(known.ending(context.Cause(ctx)))
	}
}

// Progress is the last obstacle to a call's decision. The zero value has none. Its methods are safe
// for concurrent use.
type Progress struct{ trouble atomic.Pointer[string] }

// troubled records the obstacle to the call's decision; nil for none.
func (k *Progress) troubled(err error) {
	if err == nil {
		k.trouble.Store(nil)
		return
	}
	text := err.Error()
	k.trouble.Store(&text)
}

// ending is the reason of an early end.
func (k *Progress) ending(cause error) error {
	if errors.Is(cause, context.Canceled) {
		cause = ErrEnded
	}
	if t := k.trouble.Load(); t != nil {
		return fmt.Errorf("%w; the daemon was not reachable meanwhile: %s", cause, *t)
	}
	return cause
}
