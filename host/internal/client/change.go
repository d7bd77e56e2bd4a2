package client

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// Command carries out a text command in the name of by; empty means the token's.
func (c *Client) Command(ctx context.Context, by string, cmd protocol.Command) (wire.CommandResult, error) {
	return fetch[wire.CommandResult](ctx, c, http.MethodPost, at("command"), values("by", by), cmd)
}

// SetLists puts a chat's lists in force for a session.
func (c *Client) SetLists(ctx context.Context, by, session string, l protocol.ChatLists) (wire.ListResult, error) {
	return fetch[wire.ListResult](ctx, c, http.MethodPut, at("sessions", session, "lists"), values("by", by), l)
}

// ChangeRules stores and deletes several rules in the name of by; empty means the
// token's.
func (c *Client) ChangeRules(ctx context.Context, by string, change protocol.RuleChange) (wire.RuleChangeResult, error) {
	return fetch[wire.RuleChangeResult](ctx, c, http.MethodPost, at("rules", "changes"), values("by", by), change)
}

// ConfigState tells how the daemon's configuration file stands.
func (c *Client) ConfigState(ctx context.Context) (wire.ConfigState, error) {
	return fetch[wire.ConfigState](ctx, c, http.MethodGet, at("config"), nil, nil)
}

// AcceptConfig puts the file with this digest in force, in the name of by; empty
// means the token's.
func (c *Client) AcceptConfig(ctx context.Context, by, digest string) (wire.ConfigState, error) {
	return fetch[wire.ConfigState](ctx, c, http.MethodPost, at("config", "accept"), values("by", by), protocol.Accept{Digest: digest})
}

// AuditRow returns one row of the audit with its related records.
func (c *Client) AuditRow(ctx context.Context, seq int64) (history.Entry, error) {
	return fetch[history.Entry](ctx, c, http.MethodGet, at("audit", "rows", strconv.FormatInt(seq, 10)), nil, nil)
}

// PruneAudit removes the audit rows older than before, in the name of by; dryRun only returns the
// effect.
func (c *Client) PruneAudit(ctx context.Context, by string, before time.Time, dryRun bool) (store.Prunable, error) {
	return fetch[store.Prunable](ctx, c, http.MethodPost, at("audit", "prune"), values("by", by), protocol.Prune{Before: before, DryRun: dryRun})
}
