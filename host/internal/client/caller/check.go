package caller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"syscall"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// silence is how long the daemon may be silent in a check's stream. It shows
// life much more often (Config.Heartbeat).
const silence = 60 * time.Second

// Check has one call decided and waits for approval where it is needed. progress, which may be
// nil, receives its state. The Result denies unless the daemon's answer is complete and sound: with
// every error comes the zero Result. When ctx ends, the ask is cancelled.
func (c *Caller) Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(silence, func() { cancel(fmt.Errorf("%w: no data for %s", ErrLost, silence)) })
	defer watch.Stop()
	target := "/v1/check"
	if r.Timeout > 0 {
		target += "?timeout=" + url.QueryEscape(r.Timeout.String())
	}
	a, err := c.post(ctx, target, r, protocol.LinesType, traceparent(r.Traceparent))
	if err != nil {
		return wire.Result{}, fmt.Errorf("check: %w", orCause(ctx, err))
	}
	defer a.close()
	proven := func(line []byte, mac string) error { return c.Proven(a.request, a.status, line, mac) }
	res, err := readStream(a.body, proven, func(p protocol.Progress) {
		watch.Reset(silence)
		if progress != nil {
			progress(p)
		}
	})
	if err != nil {
		return wire.Result{}, fmt.Errorf("check: %w", orCause(ctx, err))
	}
	return res, nil
}

// traceparent is text if it has the form of W3C's header, and empty otherwise: it becomes a line of
// the request.
func traceparent(text string) string {
	const form = "xx-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx"
	if len(text) != len(form) {
		return ""
	}
	for i := range form {
		hex := '0' <= text[i] && text[i] <= '9' || 'a' <= text[i] && text[i] <= 'f'
		if form[i] == '-' && text[i] != '-' || form[i] != '-' && !hex {
			return ""
		}
	}
	return text
}

// Finish reports a call's end and its actual input to the daemon, and returns whether they match
// the judged call. With every error comes the zero FinishResult.
func (c *Caller) Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error) {
	var m wire.FinishResult
	a, err := c.post(ctx, "/v1/calls/finished", f, jsonType, "")
	if err != nil {
		return m, fmt.Errorf("finish: %w", orCause(ctx, err))
	}
	defer a.close()
	text, err := a.whole(MaxAnswer)
	if err == nil {
		err = c.Proven(a.request, a.status, text, a.header[macHeader])
	}
	if err == nil {
		err = Decode(text, &m)
	}
	if err != nil {
		return wire.FinishResult{}, fmt.Errorf("finish: %w", orCause(ctx, err))
	}
	return m, nil
}

// orCause says why ctx was cancelled, if we did it.
func orCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return cause
	}
	return err
}

// ErrLost means the connection ended before the daemon's complete answer. The call may be sent
// again under its id.
var ErrLost = errors.New("the daemon's answer ended before its result")

// OrLost marks the errors of a connection broken after it was made. One broken before the daemon's
// proof is another error.
func OrLost(err error) error {
	broken := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	if !broken || errors.Is(err, ErrNotOurs) || errors.Is(err, ErrLost) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// readStream reads a check's stream to its end and returns its result, if it is sound.
func readStream(in io.Reader, proven func(line []byte, mac string) error, progress func(protocol.Progress)) (wire.Result, error) {
	text, err := ReadResult(in, proven, progress)
	if err != nil {
		return wire.Result{}, err
	}
	var res wire.Result
	if err := Decode(text, &res); err != nil {
		return wire.Result{}, err
	}
	if err := sound(res); err != nil {
		return wire.Result{}, err
	}
	return res, nil
}

// sound refuses an allow without the signs of the gate's: audited, of a named stage, with a
// matching outcome.
func sound(res wire.Result) error {
	if res.Decision.Behavior != engine.Allow {
		return nil
	}
	allowed := res.Outcome == wire.Allowed || res.Outcome == wire.AskApproved
	if !allowed || res.AuditSeq <= 0 || res.Decision.Stage == "" || len(bytes.TrimSpace([]byte(res.Digest))) != 64 {
		return errors.New("the daemon's answer says allow but is incomplete, so it is ignored")
	}
	return nil
}
