package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/callgate/callgate/host/presence"
)

// Presence tells how the approver PIN stands, and whether this client may widen.
func (c *Client) Presence(ctx context.Context) (PresenceView, error) {
	return fetch[PresenceView](ctx, c, http.MethodGet, at("presence"), nil, nil)
}

// Unlock types the approver PIN in the name of by; empty means the token's. From
// then on, for presence.Hold, this client may widen, and so may every other one on
// the same terminal.
func (c *Client) Unlock(ctx context.Context, by, pin string) (PresenceView, error) {
	out, err := fetch[PresenceView](ctx, c, http.MethodPost, at("presence", "unlock"), values("by", by), unlockBody{PIN: pin})
	if err == nil && out.Ticket != "" {
		c.ticket.Store(&out.Ticket)
	}
	return out, err
}

// SetPIN chooses the first PIN, or another one when old is the one that holds.
func (c *Client) SetPIN(ctx context.Context, by, old, pin string) (PresenceView, error) {
	return fetch[PresenceView](ctx, c, http.MethodPost, at("presence", "set"), values("by", by), setPINBody{Old: old, PIN: pin})
}

// LockPresence ends what Unlock began.
func (c *Client) LockPresence(ctx context.Context) error {
	_, err := fetch[PresenceView](ctx, c, http.MethodPost, at("presence", "lock"), nil, nil)
	return err
}

// ResetPIN asks for the PIN to be dropped, or takes that back; see
// presence.Keeper.Reset.
func (c *Client) ResetPIN(ctx context.Context, by string, cancel bool) (PresenceView, error) {
	return fetch[PresenceView](ctx, c, http.MethodPost, at("presence", "reset"), values("by", by), resetPINBody{Cancel: cancel})
}

// withTicket lets a request use what Unlock gave.
func (c *Client) withTicket(req *http.Request) {
	if ticket := c.ticket.Load(); ticket != nil {
		req.Header.Set(ticketHeader, string(*ticket))
	}
}

// NeedsPresence reports whether the daemon refused because nobody has typed the
// PIN here: after Unlock the same request may succeed.
func NeedsPresence(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == CodePresence
}

var _ Presence = (*presence.Keeper)(nil)
