// Package ruletest tests rules with their tools' modules: before they are used, when a module
// is swapped, and when a call brings a stored rule before a module for the first time. It may
// import describe, the modules, the store and the configuration; the gate, admin and daemon
// call it.
package ruletest

import (
	"context"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
)

// Store keeps the rules, their suspensions, and past calls.
type Store interface {
	Rules(ctx context.Context, f store.RuleFilter) ([]engine.Rule, error)
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Config are the parts of Stored; all members are required.
type Config struct {
	// Catalog is the catalogue as it is now.
	Catalog func() describe.Snapshot
	Targets describe.Resolver
	Store   Store
	Now     func() time.Time
	Log     *slog.Logger
}

// Stored knows the usable stored rules of each module. It is safe for concurrent use.
type Stored struct {
	c Config

	mu sync.Mutex
	// tried tells of stored rules whether a module reads them as their examples say.
	tried map[testOf]bool
	// suspensions are the rules new modules read more widely than those before them; doubtful
	// means: they are unknown.
	suspensions []suspension
	doubtful    bool
}

// NewStored returns the stored rules of a gate.
func NewStored(c Config) *Stored { return &Stored{c: c, tried: map[testOf]bool{}} }

// Tester tests rules on the modules as they are now; done is called when nothing of it is
// used any more.
func (s *Stored) Tester() (t Tester, done func()) {
	tools := s.c.Catalog()
	return Tester{Catalog: tools, Targets: s.c.Targets}, tools.Release
}
