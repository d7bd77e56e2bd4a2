package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/callgate/callgate/host/wire"
)

// Evaluate decides without asking, storing or auditing.
func (c *Client) Evaluate(ctx context.Context, r wire.Request) (wire.Result, error) {
	res, err := fetch[wire.Result](ctx, c, http.MethodPost, at("evaluate"), nil, r)
	if err != nil {
		return wire.Result{}, fmt.Errorf("evaluate: %w", err)
	}
	return res, nil
}

// VisibleTools returns the tools with possibly allowed or asked calls.
func (c *Client) VisibleTools(ctx context.Context, r wire.VisibleToolsRequest) (wire.VisibleTools, error) {
	out, err := fetch[wire.VisibleTools](ctx, c, http.MethodPost, at("offer"), nil, r)
	if err != nil {
		return wire.VisibleTools{}, fmt.Errorf("offer: %w", err)
	}
	return out, nil
}
