package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

// Presence tells how the approver PIN stands, and whether this client may widen.
func (c *Client) Presence(ctx context.Context) (view.Presence, error) {
	return fetch[view.Presence](ctx, c, http.MethodGet, at("presence"), nil, nil)
}

// Unlock types the approver PIN in the name of by; empty means the token's. From
// then on, for presence.Hold, this client may widen, and so may every other one on
// the same terminal.
func (c *Client) Unlock(ctx context.Context, by, pin string) (view.Presence, error) {
	out, err := fetch[view.Presence](ctx, c, http.MethodPost, at("presence", "unlock"), values("by", by), protocol.Unlock{PIN: pin})
	if err == nil && out.Ticket != "" {
		c.ticket.Store(&out.Ticket)
	}
	return out, err
}

// SetPIN chooses the first PIN, or another one when old is the present one.
func (c *Client) SetPIN(ctx context.Context, by, old, pin string) (view.Presence, error) {
	return fetch[view.Presence](ctx, c, http.MethodPost, at("presence", "set"), values("by", by), protocol.SetPIN{Old: old, PIN: pin})
}

// LockPresence ends the effect of Unlock.
func (c *Client) LockPresence(ctx context.Context) error {
	_, err := fetch[view.Presence](ctx, c, http.MethodPost, at("presence", "lock"), nil, nil)
	return err
}

// ResetPIN requests the removal of the PIN, or withdraws the request; see presence.Keeper.Reset.
func (c *Client) ResetPIN(ctx context.Context, by string, cancel bool) (view.Presence, error) {
	return fetch[view.Presence](ctx, c, http.MethodPost, at("presence", "reset"), values("by", by), protocol.ResetPIN{Cancel: cancel})
}

// Console makes a one-time link to the daemon's web console for by; empty means the token's name.
func (c *Client) Console(ctx context.Context, by string) (protocol.ConsoleLink, error) {
	return fetch[protocol.ConsoleLink](ctx, c, http.MethodPost, at("console"), values("by", by), nil)
}

// withTicket lets a request use Unlock's result.
func (c *Client) withTicket(req *http.Request) {
	if ticket := c.ticket.Load(); ticket != nil {
		req.Header.Set(protocol.TicketHeader, string(*ticket))
	}
}
