package runner

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// Client is a hook of a client with one event, before a call. A denial is exit code 2, its reason
// on standard error, and nothing on standard output: every measured client blocks the call then.
type Client struct {
	// Parse reads a payload, at most MaxPayload bytes. An error denies.
	Parse func(data []byte) (wire.Request, error)
	// Allow is the client's answer that lets a call run, not empty.
	Allow string
}

// The exit codes.
const (
	exitAllowed = 0
	// ExitDenied blocks the call; the model reads standard error.
	ExitDenied = 2
)

// Run reads a payload from in, has its call judged, writes the answer and returns the exit code. It
// returns before four fifths of limit, and when ctx ends. connect finds the daemon, once.
func (c Client) Run(ctx context.Context, in io.Reader, stdout, stderr io.Writer, limit time.Duration, connect func() (Daemon, error)) int {
	var known Progress
	denial := Within(ctx, limit, &known,
		func(ctx context.Context) string { return c.judge(ctx, in, &known, connect) },
		NotChecked)
	if denial == "" {
		_, err := io.WriteString(stdout, c.Allow)
		if err == nil {
			return exitAllowed
		}
		denial = "the answer could not be written: " + err.Error()
	}
	_, _ = io.WriteString(stderr, Clean(denial)+"\n") // there is nowhere left to say it
	return ExitDenied
}

// judge is the denial of a call, never empty; empty for an allow.
func (c Client) judge(ctx context.Context, in io.Reader, known *Progress, connect func() (Daemon, error)) string {
	data, err := Read(in)
	if err != nil {
		return NotChecked(err)
	}
	r, err := c.Parse(data)
	if err != nil {
		return NotChecked(err)
	}
	daemon, err := connect()
	if err != nil {
		return NotChecked(err)
	}
	res, err := Check(ctx, daemon, r, known)
	switch {
	case err != nil:
		return NotChecked(err)
	case res.Decision.Behavior != engine.Allow:
		return Denial(res.Decision)
	case res.Input != nil:
		return NotChecked(errors.New("the daemon changed the input of a call that takes no other"))
	}
	return ""
}
