package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
)

// Tokens lists all tokens ever made, the oldest first, without secrets.
func (c *Client) Tokens(ctx context.Context) ([]store.Token, error) {
	out, err := fetch[view.TokenList](ctx, c, http.MethodGet, at("tokens"), nil, nil)
	return out.Tokens, err
}

// CreateToken makes a token in the name of by; empty means the client's token.
func (c *Client) CreateToken(ctx context.Context, by string, n view.NewToken) (view.MadeToken, error) {
	return fetch[view.MadeToken](ctx, c, http.MethodPost, at("tokens"), values("by", by), n)
}

// RotateToken gives a token a new secret; the old one stops at once, also where
// it is this client's.
func (c *Client) RotateToken(ctx context.Context, by, name string) (view.MadeToken, error) {
	return fetch[view.MadeToken](ctx, c, http.MethodPost, at("tokens", name, "rotate"), values("by", by), nil)
}

// RevokeToken ends a token.
func (c *Client) RevokeToken(ctx context.Context, by, name string) (store.Token, error) {
	return fetch[store.Token](ctx, c, http.MethodPost, at("tokens", name, "revoke"), values("by", by), nil)
}
