package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// Profiles lists the profiles and the agents' choices.
func (c *Client) Profiles(ctx context.Context) (wire.Profiles, error) {
	return fetch[wire.Profiles](ctx, c, http.MethodGet, at("profiles"), nil, nil)
}

// GiveProfile gives an agent a profile in place of the configuration's, in the name
// of by; empty means the token's.
func (c *Client) GiveProfile(ctx context.Context, by, agent, profile string) (wire.GivenProfile, error) {
	return fetch[wire.GivenProfile](ctx, c, http.MethodPost, at("agents", agent, "profile"), values("by", by), protocol.GiveProfile{Profile: profile})
}

// ResetProfile gives an agent the configuration's profile again.
func (c *Client) ResetProfile(ctx context.Context, by, agent string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("agents", agent, "profile", "reset"), values("by", by), nil)
	return err
}

// ResetProfiles gives all agents the configuration's profiles again.
func (c *Client) ResetProfiles(ctx context.Context, by string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("profiles", "reset"), values("by", by), nil)
	return err
}
