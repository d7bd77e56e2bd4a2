package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/modules"
)

// upload is a body that is a module.
type upload []byte

// Modules lists the tool modules.
func (c *Client) Modules(ctx context.Context) (modules.List, error) {
	return fetch[modules.List](ctx, c, http.MethodGet, at("modules"), nil, nil)
}

// PutModule pins r.Wasm, or with dryRun says what that would do.
func (c *Client) PutModule(ctx context.Context, r modules.Request, dryRun bool) (ModuleChange, error) {
	q := values("by", r.By, "digest", r.Digest, "replaces", r.Replaces)
	setFlag(q, "dry_run", dryRun)
	if r.Grant != nil {
		setFlag(q, "may_allow", r.Grant.MayAllow)
		setFlag(q, "may_read_only", r.Grant.MayReadOnly)
		setFlag(q, "dev", r.Grant.Dev)
		if len(r.Grant.Names) > 0 {
			q.Set("names", strings.Join(r.Grant.Names, ","))
		}
		var limits []string
		for _, name := range slices.Sorted(maps.Keys(r.Grant.Limits)) {
			limits = append(limits, name+"="+r.Grant.Limits[name])
		}
		if len(limits) > 0 {
			q.Set("limits", strings.Join(limits, ","))
		}
	}
	if r.Signature != nil {
		q.Set("signature", strings.TrimSpace(string(r.Signature.Text())))
	}
	return fetch[ModuleChange](ctx, c, http.MethodPut, at("modules", r.File), q, upload(r.Wasm))
}

// PinModule pins the bytes that are in the directory of modules.
func (c *Client) PinModule(ctx context.Context, by, file string, p PinModule) (ModuleChange, error) {
	return fetch[ModuleChange](ctx, c, http.MethodPost, at("modules", file, "pin"), values("by", by), p)
}

// RollbackModule goes back to the version before.
func (c *Client) RollbackModule(ctx context.Context, by, file string, p PinModule) (ModuleChange, error) {
	return fetch[ModuleChange](ctx, c, http.MethodPost, at("modules", file, "rollback"), values("by", by), p)
}

// ModuleOutcome is what came of reading the directory of modules.
type ModuleOutcome struct {
	Swaps    []catalog.Swap `json:"swaps"`
	Problems []struct {
		File  string `json:"file"`
		Error string `json:"error"`
	} `json:"problems"`
	Took time.Duration `json:"took_ns"`
}

// RemoveModule takes a module away.
func (c *Client) RemoveModule(ctx context.Context, by, file string) (ModuleOutcome, error) {
	return fetch[ModuleOutcome](ctx, c, http.MethodDelete, at("modules", file), values("by", by), nil)
}

// ReloadModules has the directory read again.
func (c *Client) ReloadModules(ctx context.Context) (ModuleOutcome, error) {
	return fetch[ModuleOutcome](ctx, c, http.MethodPost, at("modules", "reload"), nil, nil)
}
