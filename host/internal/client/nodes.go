package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/wire"
)

// Nodes lists the daemons of the store, the oldest first.
func (c *Client) Nodes(ctx context.Context) ([]wire.Node, error) {
	out, err := fetch[wire.NodeList](ctx, c, http.MethodGet, at("nodes"), nil, nil)
	return out.Nodes, err
}
