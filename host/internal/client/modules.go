package client

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// upload is a module as a body.
type upload []byte

// Modules lists the tool modules.
func (c *Client) Modules(ctx context.Context) (wire.ModuleList, error) {
	return fetch[wire.ModuleList](ctx, c, http.MethodGet, at("modules"), nil, nil)
}

// PutModule pins the bytes of a module with the grant.
func (c *Client) PutModule(ctx context.Context, by, file string, wasm []byte, p protocol.PinModule) (wire.ModuleChange, error) {
	q := values("by", by, "digest", p.Digest, "replaces", p.Replaces)
	setFlag(q, "dry_run", p.DryRun)
	if p.Grant != nil {
		setFlag(q, "may_allow", p.Grant.MayAllow)
		setFlag(q, "may_read_only", p.Grant.MayReadOnly)
		setFlag(q, "dev", p.Grant.Dev)
		if len(p.Grant.Names) > 0 {
			q.Set("names", strings.Join(p.Grant.Names, ","))
		}
		var limits []string
		for _, name := range slices.Sorted(maps.Keys(p.Grant.Limits)) {
			limits = append(limits, name+"="+p.Grant.Limits[name])
		}
		if len(limits) > 0 {
			q.Set("limits", strings.Join(limits, ","))
		}
	}
	if p.Signature != nil {
		q.Set("signature", strings.TrimSpace(string(p.Signature.Text())))
	}
	return fetch[wire.ModuleChange](ctx, c, http.MethodPut, at("modules", file), q, upload(wasm))
}

// PinModule pins the bytes from the directory of modules.
func (c *Client) PinModule(ctx context.Context, by, file string, p protocol.PinModule) (wire.ModuleChange, error) {
	return fetch[wire.ModuleChange](ctx, c, http.MethodPost, at("modules", file, "pin"), values("by", by), p)
}

// RollbackModule goes back to the version before.
func (c *Client) RollbackModule(ctx context.Context, by, file string, p protocol.PinModule) (wire.ModuleChange, error) {
	return fetch[wire.ModuleChange](ctx, c, http.MethodPost, at("modules", file, "rollback"), values("by", by), p)
}

// DiffModule compares the answers of two versions of a module to past calls.
func (c *Client) DiffModule(ctx context.Context, file string, d protocol.DiffModule) (history.ModuleDiff, error) {
	return fetch[history.ModuleDiff](ctx, c, http.MethodPost, at("modules", file, "diff"), nil, d)
}

// RemoveModule takes a module away.
func (c *Client) RemoveModule(ctx context.Context, by, file string) (wire.ModuleOutcome, error) {
	return fetch[wire.ModuleOutcome](ctx, c, http.MethodDelete, at("modules", file), values("by", by), nil)
}

// ReloadModules has the directory read again.
func (c *Client) ReloadModules(ctx context.Context) (wire.ModuleOutcome, error) {
	return fetch[wire.ModuleOutcome](ctx, c, http.MethodPost, at("modules", "reload"), nil, nil)
}
