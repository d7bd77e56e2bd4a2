package client

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// Folders lists the trusted folders, of one agent unless agent is empty.
func (c *Client) Folders(ctx context.Context, agent string) ([]wire.Folder, error) {
	out, err := fetch[wire.FolderList](ctx, c, http.MethodGet, at("folders"), values("agent", agent), nil)
	return out.Folders, err
}

// TrustFolder trusts a project folder for an agent, in the name of by; empty means the
// token's.
func (c *Client) TrustFolder(ctx context.Context, by string, f protocol.NewFolder) (wire.Folder, error) {
	return fetch[wire.Folder](ctx, c, http.MethodPost, at("folders"), values("by", by), f)
}

// ForgetFolder takes a trusted folder back.
func (c *Client) ForgetFolder(ctx context.Context, by, id string) (wire.Folder, error) {
	return fetch[wire.Folder](ctx, c, http.MethodDelete, at("folders", id), values("by", by), nil)
}

// ForgetFolders takes every trusted folder back.
func (c *Client) ForgetFolders(ctx context.Context, by string) error {
	_, err := fetch[struct{}](ctx, c, http.MethodPost, at("folders", "reset"), values("by", by), nil)
	return err
}
