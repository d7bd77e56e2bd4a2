package runner

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// The pauses between two tries; each is twice as long as the one before.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// slowStart is how long a daemon may be too busy to take a connection.
const slowStart = 30 * time.Second

// Check has the call decided. It waits for a lost daemon until ctx ends, and sends the call again
// under its id: a person's answer counts. It does not wait for an absent daemon.
func Check(ctx context.Context, d Daemon, r wire.Request, known *Progress) (wire.Result, error) {
	began, reached := time.Now(), false
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		r.Timeout = patience(ctx)
		res, err := d.Check(ctx, r, func(protocol.Progress) {
			reached, pause = true, firstPause
			known.troubled(nil)
		})
		if err == nil {
			return res, nil
		}
		reached = reached || lost(err)
		if !(reached && mayReturn(err)) && !(busy(err) && time.Since(began) < slowStart) {
			return wire.Result{}, err
		}
		known.troubled(err)
		if err := wait(ctx, pause); err != nil {
			return wire.Result{}, err
		}
	}
}

// patience is the daemon's time for asking people: a little less than the hook's, so the daemon's
// words reach the model.
func patience(ctx context.Context) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return 0
	}
	left := time.Until(end)
	return max(left-min(left/10, time.Second), time.Millisecond)
}

// wait waits, or returns the cause of ctx's end.
func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// lost reports whether a reached daemon broke off or is closing.
func lost(err error) bool {
	var refused *protocol.Error
	return errors.Is(err, caller.ErrLost) || errors.As(err, &refused) && refused.Code == protocol.CodeUnavailable
}

// mayReturn reports whether a daemon reached before may come back. Every answer of the daemon
// itself is final.
func mayReturn(err error) bool {
	var dial *net.OpError
	return lost(err) || errors.Is(err, caller.ErrNoDaemon) || errors.Is(err, caller.ErrNotOurs) || errors.As(err, &dial)
}

// busy reports whether a daemon is there and had no time for the call: it counts
// too many, its queue of connections is full, or it was slow to prove itself.
func busy(err error) bool {
	var refused *protocol.Error
	return errors.As(err, &refused) && refused.Code == protocol.CodeTooManyRequests ||
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, os.ErrDeadlineExceeded)
}

// finishPatience bounds reporting a call's end: the model waits for it.
const finishPatience = 10 * time.Second

// Finish reports a call's end. It waits ten seconds at most for a lost or busy daemon.
func Finish(ctx context.Context, d Daemon, f wire.Finished) (wire.FinishResult, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, finishPatience, errors.New("the daemon did not answer in time"))
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		m, err := d.Finish(ctx, f)
		if err == nil || !lost(err) && !busy(err) {
			return m, err
		}
		if err := wait(ctx, pause); err != nil {
			return wire.FinishResult{}, err
		}
	}
}
