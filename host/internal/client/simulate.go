package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
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
	lines := bufio.NewReader(io.LimitReader(resp.Body, caller.MaxAnswer))
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return history.Simulated{}, caller.OrLost(err)
		}
		var line struct {
			Progress *history.Simulating `json:"progress"`
			Result   json.RawMessage     `json:"result"`
			Problem  json.RawMessage     `json:"problem"`
			MAC      string              `json:"mac"`
		}
		if err := json.Unmarshal(bytes.TrimSpace(text), &line); err != nil {
			return history.Simulated{}, errors.New("the daemon's answer cannot be read")
		}
		switch {
		case line.Problem != nil:
			if err := c.proven(resp.Request, resp.StatusCode, protocol.FinalLine("problem", line.Problem), line.MAC); err != nil {
				return history.Simulated{}, err
			}
			return history.Simulated{}, caller.Problem(line.Problem, resp.StatusCode)
		case line.Result != nil:
			if err := c.proven(resp.Request, resp.StatusCode, protocol.FinalLine("result", line.Result), line.MAC); err != nil {
				return history.Simulated{}, err
			}
			var out history.Simulated
			return out, caller.Decode(line.Result, &out)
		case line.Progress != nil && progress != nil:
			progress(*line.Progress)
		}
	}
}
