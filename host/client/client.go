// Package client has a running daemon decide the calls of a program of one's own.
//
// It is a few functions over the client of the hooks: the daemon proves itself before it gets the
// token, and each answer proves that it belongs to its request. Everything else of the daemon's API
// is in its OpenAPI document (GET /v1/openapi.json). It imports the client inside the house, wire and
// engine; programs import it. For a gate without a daemon see package host.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/wire"
)

// The errors of a daemon that cannot be used. Any other is an *Error, or names its fix.
var (
	ErrNoDaemon = client.ErrNoDaemon
	ErrNotOurs  = client.ErrNotOurs
	ErrLost     = client.ErrLost
)

// Error is a refusal by the daemon; its Code is a stable word.
type Error = protocol.Error

// Progress is how a waiting check stands.
type Progress = protocol.Progress

// Options name the daemon. The zero value is the daemon of the account, and its default agent; the
// account comes from the system's account database, and no variable of the environment counts.
type Options struct {
	// Endpoint is the path of the daemon's socket, or a loopback address with port.
	Endpoint string
	// TokenFile holds the token. Token is the token itself, in place of TokenFile.
	TokenFile, Token string
	// Agent is the agent of the token without TokenFile and Token. Default "default".
	Agent string
	// DaemonUID is the daemon's account where that is another one, at level B.
	DaemonUID *int
}

// Client has calls decided. Its methods are safe for concurrent use.
type Client struct{ c *client.Client }

// Open returns a client of the daemon. It reads the token and does not connect yet.
func Open(o Options) (*Client, error) {
	if o.Agent == "" {
		o.Agent = tokenfile.DefaultAgent
	}
	if o.Endpoint == "" || o.Token == "" && o.TokenFile == "" {
		dirs, err := config.AccountDirs()
		if err != nil {
			return nil, err
		}
		if o.TokenFile == "" {
			o.TokenFile = tokenfile.Check(dirs.State, o.Agent)
		}
		if o.Endpoint == "" {
			o.Endpoint = dirs.Socket()
		}
	}
	if o.Token == "" {
		var err error
		if o.Token, err = tokenfile.Read(o.TokenFile); err != nil {
			return nil, err
		}
	}
	var more []client.DialOption
	if o.DaemonUID != nil {
		more = append(more, client.DaemonUID(*o.DaemonUID))
	}
	c, err := client.Dial(o.Endpoint, o.Token, more...)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.c.Close() }

// Check has one call decided and waits for a person where it must. progress, which may be nil, hears
// how the wait stands. Run the call only if the error is nil and the behavior is engine.Allow: with
// every error comes the zero Result, a denial. When ctx ends, the ask is withdrawn.
func (c *Client) Check(ctx context.Context, r wire.Request, progress func(Progress)) (wire.Result, error) {
	return c.c.Check(ctx, r, progress)
}

// Evaluate decides without asking, storing or auditing. It is no permission to run the call.
func (c *Client) Evaluate(ctx context.Context, r wire.Request) (wire.Result, error) {
	return c.c.Evaluate(ctx, r)
}

// Finish reports the end of a call that was checked with Reports, and whether it ran as checked.
func (c *Client) Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error) {
	return c.c.Finish(ctx, f)
}

// VisibleTools lists the tools worth showing to the model.
func (c *Client) VisibleTools(ctx context.Context, r wire.VisibleToolsRequest) (wire.VisibleTools, error) {
	return c.c.VisibleTools(ctx, r)
}

// Permission answers one call. The zero value denies.
type Permission struct {
	Allowed bool
	// Input is the input to run: that of the request, or the one a person changed it to, if the
	// request had TakesInput.
	Input json.RawMessage
	// Message is the denial for the model.
	Message string
}

// CanUseTool is Check for the permission callback of an agent's loop: it has no error, because every
// failure is a denial with a message.
func (c *Client) CanUseTool(ctx context.Context, r wire.Request) Permission {
	res, err := c.Check(ctx, r, nil)
	switch {
	case err != nil:
		return Permission{Message: "Denied by Callgate: the call could not be checked: " + strings.TrimRight(err.Error(), ".") + "."}
	case res.Decision.Behavior != engine.Allow:
		return Permission{Message: res.Decision.Message}
	case len(res.Input) > 0:
		return Permission{Allowed: true, Input: res.Input}
	}
	return Permission{Allowed: true, Input: r.Input}
}

// ErrDenied is a call that Run did not run.
var ErrDenied = errors.New("denied by Callgate")

// reportPatience bounds the report of a call that ran.
const reportPatience = 10 * time.Second

// Run runs a call if it is allowed, with the input to run, and reports its end, so that the daemon
// compares what ran with what was checked. The request needs a CallID. The error is that of run, or
// one that wraps ErrDenied: its text is for the model.
func (c *Client) Run(ctx context.Context, r wire.Request, run func(ctx context.Context, input json.RawMessage) error) error {
	if r.CallID == "" {
		return fmt.Errorf("%w: call_id: missing", ErrDenied)
	}
	r.Reports = true
	p := c.CanUseTool(ctx, r)
	if !p.Allowed {
		return fmt.Errorf("%w: %s", ErrDenied, p.Message)
	}
	ran := run(ctx, p.Input)
	report, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportPatience)
	defer cancel()
	_, err := c.Finish(report, wire.Finished{CallID: r.CallID, Tool: r.Tool, Input: p.Input, Context: r.Context, Failed: ran != nil})
	if ran != nil {
		return ran // the call's own error counts more than that of its report
	}
	return err
}
