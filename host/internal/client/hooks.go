package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/wire"
)

// Hooks are the daemon's last probes of the clients' hooks.
func (c *Client) Hooks(ctx context.Context) (wire.HookProbes, error) {
	return fetch[wire.HookProbes](ctx, c, http.MethodGet, at("hooks"), nil, nil)
}
