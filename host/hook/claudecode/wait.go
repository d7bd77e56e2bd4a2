package claudecode

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/gate"
)

// The pauses between two tries; each is twice as long as the one before.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// slowStart is how long a daemon may be too busy to take a connection.
const slowStart = 30 * time.Second

// check has the call decided. A daemon that is lost meanwhile is waited for until
// ctx ends, and gets the call again under its id: what a person answered counts.
// A daemon that is not there at all is not waited for.
func check(ctx context.Context, d Daemon, r gate.Request, known *progress) (gate.Result, error) {
	began, reached := time.Now(), false
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		r.Timeout = patience(ctx)
		res, err := d.Check(ctx, r, func(api.Progress) {
			reached, pause = true, firstPause
			known.troubled(nil)
		})
		if err == nil {
			return res, nil
		}
		reached = reached || lost(err)
		if !(reached && mayReturn(err)) && !(busy(err) && time.Since(began) < slowStart) {
			return gate.Result{}, err
		}
		known.troubled(err)
		if err := wait(ctx, pause); err != nil {
			return gate.Result{}, err
		}
	}
}

// patience is how long the daemon may ask people: a little less than the hook
// has, so that its own words reach the model.
func patience(ctx context.Context) time.Duration {
	end, limited := ctx.Deadline()
	if !limited {
		return 0
	}
	left := time.Until(end)
	return max(left-min(left/10, time.Second), time.Millisecond)
}

// wait waits, or returns the cause for which ctx ended.
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

// lost reports whether a daemon that was reached broke off or is closing.
func lost(err error) bool {
	var refused *api.Error
	return errors.Is(err, api.ErrLost) || errors.As(err, &refused) && refused.Code == api.CodeUnavailable
}

// mayReturn reports whether a daemon that was reached before may come back.
// Everything that a daemon says for itself is final.
func mayReturn(err error) bool {
	var dial *net.OpError
	return lost(err) || errors.Is(err, api.ErrNoDaemon) || errors.Is(err, api.ErrNotOurs) || errors.As(err, &dial)
}

// busy reports whether a daemon is there and had no time for the call: it counts
// too many, its queue of connections is full, or it was slow to prove itself.
func busy(err error) bool {
	var refused *api.Error
	return errors.As(err, &refused) && refused.Code == api.CodeTooManyRequests ||
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, os.ErrDeadlineExceeded)
}

// finishPatience bounds telling that a call has ended: the model waits for it.
const finishPatience = 10 * time.Second

// finish tells that the call has ended. One that is not the call that was judged
// is told to the model; when the daemon cannot be asked, the person is told, and
// nothing else can be done: the call has run. Threat T08.
func finish(ctx context.Context, d Daemon, connected error, p payload) Answer {
	event := p.event()
	if connected != nil {
		return failed(event, connected)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, finishPatience, errors.New("the daemon did not answer in time"))
	defer cancel()
	f := gate.Finished{CallID: string(p.CallID), Tool: string(p.Tool), Input: json.RawMessage(p.Input), Context: p.claim(), Failed: event == PostToolUseFailure}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		m, err := d.Finish(ctx, f)
		switch {
		case err == nil && m.Match:
			return Answer{Event: event, kind: noObjection}
		case err == nil:
			return Deny(event, mismatch(m))
		case !lost(err) && !busy(err):
			return failed(event, err)
		}
		if err := wait(ctx, pause); err != nil {
			return failed(event, err)
		}
	}
}

// mismatch tells the model that what ran is not what was judged.
func mismatch(m gate.Matched) string {
	if m.Reason == "" {
		return "Callgate: the call that ran is not the call that was judged."
	}
	return sentence("Callgate: the call that ran is not the call that was judged: ", m.Reason)
}
