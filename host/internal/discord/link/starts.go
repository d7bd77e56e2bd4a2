package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// starts is Discord's limit on new sessions.
type starts struct {
	URL   string `json:"url"`
	Limit *struct {
		Remaining  int   `json:"remaining"`
		ResetAfter int64 `json:"reset_after"` // milliseconds
	} `json:"session_start_limit"`
}

// scarce is from how few sessions left on they are spread over the time until there
// are more. Beyond their number Discord resets the token.
const scarce = 100

// begin asks for leave to begin a new session, and waits until there is.
func (g *Gateway) begin(ctx context.Context, in *inbox) (*session, error) {
	var said starts
	err := g.client.Do(ctx, Request{Method: http.MethodGet, Path: "/gateway/bot", What: "ask for the gateway", Urgent: true}, &said)
	if err != nil {
		return nil, err
	}
	address, err := gatewayAddress(said.URL, g.client.api)
	switch {
	case err != nil:
		return nil, err
	case said.Limit == nil:
		return nil, errors.New("the server does not tell how many sessions may be begun")
	}
	gap, left := g.pace.Identify, said.Limit.Remaining
	if left <= scarce {
		reset := min(time.Duration(said.Limit.ResetAfter)*time.Millisecond, 24*time.Hour)
		gap = max(gap, reset/time.Duration(max(left, 0)+1))
	}
	if left <= 0 {
		g.set(State{Problem: fmt.Sprintf("Discord lets this bot begin no new session for %v: too many were begun", gap.Round(time.Second))})
		wait(ctx, gap)
		return nil, errNoStart
	}
	if rest := gap - time.Since(g.identified); rest > 0 {
		g.set(State{Problem: fmt.Sprintf("not connected to Discord: the next session may begin in %v", rest.Round(time.Second))})
		wait(ctx, rest)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return newGatewaySession(g.client.token, g.intents, address, in)
}

var errNoStart = errors.New("no session could be begun")
