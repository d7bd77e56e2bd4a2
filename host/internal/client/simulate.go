package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store/history"
)

// Simulate tries a change of the rules on past calls. progress, possibly nil, hears how far it is.
func (c *Client) Simulate(ctx context.Context, s protocol.RuleSimulation, progress func(history.Simulating)) (history.Simulated, error) {
	resp, err := c.send(ctx, http.MethodPost, at("rules", "simulate"), nil, s, protocol.LinesType)
	if err != nil {
		return history.Simulated{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end, or given up
	if progress == nil {
		progress = func(history.Simulating) {}
	}
	proven := func(line []byte, mac string) error { return c.proven(resp.Request, resp.StatusCode, line, mac) }
	text, err := caller.ReadResult(resp.Body, proven, progress)
	if err != nil {
		return history.Simulated{}, err
	}
	var out history.Simulated
	if err := caller.Decode(text, &out); err != nil {
		return history.Simulated{}, err
	}
	return out, nil
}
