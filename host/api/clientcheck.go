package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// silence is how long the daemon may be silent in a check's stream. It shows
// life much more often (Config.Heartbeat).
const silence = 60 * time.Second

// Check has one call decided and waits for a human where one must decide.
// progress, which may be nil, hears how it stands. The Result denies unless the
// daemon's answer came whole and is sound: with every error comes the zero
// Result. When ctx ends, the ask is cancelled.
func (c *Client) Check(ctx context.Context, r gate.Request, progress func(Progress)) (gate.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(silence, func() { cancel(fmt.Errorf("%w: it was silent for %s", ErrLost, silence)) })
	defer watch.Stop()
	resp, err := c.send(ctx, http.MethodPost, at("check"), timeoutQuery(r), r, formTypes[formLines])
	if err != nil {
		return gate.Result{}, fmt.Errorf("check: %w", orCause(ctx, err))
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	proven := func(line []byte, mac string) error { return c.proven(resp.Request, resp.StatusCode, line, mac) }
	res, err := readStream(resp.Body, proven, func(p Progress) {
		watch.Reset(silence)
		if progress != nil {
			progress(p)
		}
	})
	if err != nil {
		return gate.Result{}, fmt.Errorf("check: %w", orCause(ctx, err))
	}
	return res, nil
}

// Evaluate decides without asking, storing or auditing.
func (c *Client) Evaluate(ctx context.Context, r gate.Request) (gate.Result, error) {
	res, err := fetch[gate.Result](ctx, c, http.MethodPost, at("evaluate"), nil, r)
	if err != nil {
		return gate.Result{}, fmt.Errorf("evaluate: %w", err)
	}
	return res, nil
}

func timeoutQuery(r gate.Request) url.Values {
	if r.Timeout <= 0 {
		return nil
	}
	return url.Values{"timeout": {r.Timeout.String()}}
}

// orCause says why ctx was cancelled, if we did it.
func orCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return cause
	}
	return err
}

// streamLine is one line of a check's stream; exactly one member is set, and the
// last line has its MAC besides.
type streamLine struct {
	Progress *Progress      `json:"progress"`
	Result   jsontext.Value `json:"result"`
	Problem  jsontext.Value `json:"problem"`
	MAC      string         `json:"mac"`
}

// ErrLost is a connection that ended before the daemon's answer had come whole.
// The call may be put again under its id.
var ErrLost = errors.New("the daemon's answer broke off before its result")

// orLost marks the errors of a connection that was made and then broke. One that
// broke before the daemon had proven itself is not ours.
func orLost(err error) error {
	broken := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	if !broken || errors.Is(err, ErrNotOurs) || errors.Is(err, ErrLost) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

// readStream reads a check's stream to its end. Only a stream whose last line is
// its one result, with the MAC that proven takes for it, gives it.
func readStream(in io.Reader, proven func(line []byte, mac string) error, progress func(Progress)) (gate.Result, error) {
	lines := bufio.NewReader(io.LimitReader(in, maxAnswer))
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return gate.Result{}, orLost(err)
		}
		var line streamLine
		if err := json.Unmarshal(text, &line, json.RejectUnknownMembers(true)); err != nil {
			return gate.Result{}, fmt.Errorf("the daemon's answer is not understood: %w", err)
		}
		switch {
		case line.Problem != nil:
			if err := proven(finalLine("problem", line.Problem), line.MAC); err != nil {
				return gate.Result{}, err
			}
			return gate.Result{}, problemError(line.Problem, http.StatusOK)
		case line.Progress != nil && line.Result == nil:
			progress(*line.Progress)
		case line.Result != nil && line.Progress == nil:
			if err := proven(finalLine("result", line.Result), line.MAC); err != nil {
				return gate.Result{}, err
			}
			return lastResult(line.Result, lines)
		default:
			return gate.Result{}, errors.New("the daemon sent a line that is neither progress nor result")
		}
	}
}

// lastResult reads the result, behind which nothing may come.
func lastResult(text []byte, rest *bufio.Reader) (gate.Result, error) {
	var res gate.Result
	if err := decodeAnswer(text, &res); err != nil {
		return gate.Result{}, err
	}
	if _, err := rest.ReadByte(); !errors.Is(err, io.EOF) {
		return gate.Result{}, fmt.Errorf("the daemon's answer does not end with its result: %w", orTrailing(err))
	}
	if err := sound(res); err != nil {
		return gate.Result{}, err
	}
	return res, nil
}

func orTrailing(err error) error {
	if err == nil {
		return errors.New("more follows")
	}
	return orLost(err)
}

// sound refuses an allow that does not look like one of the gate's: audited, of
// a named stage, with an outcome that says the same.
func sound(res gate.Result) error {
	if res.Decision.Behavior != engine.Allow {
		return nil
	}
	allowed := res.Outcome == store.Allowed || res.Outcome == store.AskApproved
	if !allowed || res.AuditSeq <= 0 || res.Decision.Stage == "" || len(bytes.TrimSpace([]byte(res.Digest))) != 64 {
		return errors.New("the daemon's answer says allow but is not whole: not taken")
	}
	return nil
}
