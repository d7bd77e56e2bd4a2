// Package authority identifies callers and knows people's rights: the person behind a token,
// the granters of a profile, a mode or a rule, and the valid approvers of an ask. It keeps the
// audit's rows of answers and of refusals.
//
// It may import the asks, approvers, the configuration, the store and, for a tool's other
// names, describe. The gate and admin decide by it; surfaces identify people by it before they
// change anything.
package authority

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
)

// Asks is the broker.
type Asks interface {
	// Withdraw cancels an ask whose answers can no longer be trusted, TurnAway refuses a
	// person's answer.
	Withdraw(ctx context.Context, id string, cause ask.Cause) (ask.Ask, error)
	TurnAway(ctx context.Context, id, who, reason string) (ask.Ask, error)
}

// Store knows sessions and rules, and keeps the audit.
type Store interface {
	Session(ctx context.Context, id string) (store.Session, error)
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	Append(ctx context.Context, row store.Row) (store.Row, error)
}

// Config are the parts of an Authority; all members are required.
type Config struct {
	// Catalog is the catalogue as it is now.
	Catalog func() describe.Snapshot
	// Settings is the operator's current configuration.
	Settings func() *config.Config
	Asks     Asks
	Store    Store
	Now      func() time.Time
	Log      *slog.Logger
}

// Authority knows people's rights. It is safe for concurrent use.
type Authority struct {
	c Config
	// members looks up roles in a chat; nil for no chat.
	members atomic.Pointer[Members]
}

// New returns the authority over its parts.
func New(c Config) *Authority { return &Authority{c: c} }
