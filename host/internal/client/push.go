package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

// Push lists the browsers of by that get messages about waiting asks.
func (c *Client) Push(ctx context.Context, by string) (view.PushDevices, error) {
	return fetch[view.PushDevices](ctx, c, http.MethodGet, at("push"), values("by", by), nil)
}

// AddPush subscribes a browser of by.
func (c *Client) AddPush(ctx context.Context, by string, n view.NewPush) (view.PushDevice, error) {
	return fetch[view.PushDevice](ctx, c, http.MethodPost, at("push"), values("by", by), n)
}

// RemovePush ends the messages to a browser, in the name of by.
func (c *Client) RemovePush(ctx context.Context, by, id string) (view.PushDevice, error) {
	return fetch[view.PushDevice](ctx, c, http.MethodDelete, at("push", id), values("by", by), nil)
}
