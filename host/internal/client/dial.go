package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// The errors of a daemon that cannot be used.
var (
	ErrNoDaemon = caller.ErrNoDaemon
	ErrNotOurs  = caller.ErrNotOurs
	ErrLost     = caller.ErrLost
	ErrUnproven = caller.ErrUnproven
)

// Client talks to a daemon. Its methods are safe for concurrent use. Its errors are *protocol.Error
// for a refusal by the daemon, and otherwise name the fix.
type Client struct {
	*caller.Caller

	http *http.Client
	// ticket is Unlock's result; nil before, and where there is a terminal.
	ticket atomic.Pointer[pin.Ticket]
}

// DialOption changes the result of Dial.
type DialOption = caller.DialOption

// DaemonUID is caller.DaemonUID.
func DaemonUID(uid int) DialOption { return caller.DaemonUID(uid) }

// Dial returns a client of the daemon at endpoint, as caller.Dial does. Every connection
// is one of the Caller's, so that the daemon proves itself on each. Proxies and
// redirects are never used.
func Dial(endpoint, token string, opts ...DialOption) (*Client, error) {
	at, err := caller.Dial(endpoint, token, opts...)
	if err != nil {
		return nil, err
	}
	return over(at), nil
}

// Within returns a client inside the daemon's own process, as caller.Within does.
func Within(dial func(ctx context.Context) (net.Conn, error), token string) (*Client, error) {
	at, err := caller.Within(dial, token)
	if err != nil {
		return nil, err
	}
	return over(at), nil
}

// over is a client with connections of the caller.
func over(at *caller.Caller) *Client {
	c := &Client{Caller: at}
	c.http = &http.Client{
		Transport: &http.Transport{
			DialContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return at.Connect(ctx) },
			MaxIdleConnsPerHost: 4,
			IdleConnTimeout:     protocol.IdlePatience / 2,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the daemon answered with a redirect, which is not allowed")
		},
	}
	return c
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
