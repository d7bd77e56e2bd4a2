package client

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
)

// Challenge makes what the approver's device has to sign for an answer; the same answer with its
// Assertion then counts as signed.
func (c *Client) Challenge(ctx context.Context, id string, a ask.Answer) (passkey.Challenge, error) {
	return fetch[passkey.Challenge](ctx, c, http.MethodPost, at("asks", id, "challenge"), nil, answerBody(a))
}

// Passkeys lists the passkeys of a person; an empty one means the token's person or, for an admin,
// everybody.
func (c *Client) Passkeys(ctx context.Context, person string) ([]view.Passkey, error) {
	out, err := fetch[view.PasskeyList](ctx, c, http.MethodGet, at("passkeys"), values("person", person), nil)
	return out.Passkeys, err
}

// EnrolPasskey makes the browser's options for a new passkey of by.
func (c *Client) EnrolPasskey(ctx context.Context, by string) (passkey.CreationOptions, error) {
	return fetch[passkey.CreationOptions](ctx, c, http.MethodPost, at("passkeys", "challenge"), values("by", by), nil)
}

// AddPasskey finishes an enrolment with the browser's answer; name is the person's word for the
// device.
func (c *Client) AddPasskey(ctx context.Context, by, name string, credential json.RawMessage) (view.Passkey, error) {
	return fetch[view.Passkey](ctx, c, http.MethodPost, at("passkeys"), values("by", by), view.NewPasskey{Name: name, Credential: credential})
}

// RevokePasskey ends a passkey in the name of by.
func (c *Client) RevokePasskey(ctx context.Context, by, id string) (view.Passkey, error) {
	return fetch[view.Passkey](ctx, c, http.MethodDelete, at("passkeys", id), values("by", by), nil)
}
