package webhook

import (
	"context"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/wire"
)

// Approvers keeps the approvers of a configuration, one for each callback. The zero
// value is ready; it is safe for concurrent use.
type Approvers struct {
	Options Options

	mu    sync.Mutex
	known map[config.Callback]gate.Callback
}

// maxApprovers bounds how many are kept: configurations come and go.
const maxApprovers = 256

// Of returns the approver of a callback; nil when it has no URL. An unusable one denies, and
// says why.
func (a *Approvers) Of(c config.Callback) gate.Callback {
	if c.URL == "" {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.known[c]; ok {
		return known
	}
	if a.known == nil || len(a.known) >= maxApprovers {
		a.known = map[config.Callback]gate.Callback{}
	}
	var made gate.Callback
	made, err := NewApprover(c, a.Options)
	if err != nil {
		made = broken{err}
	}
	a.known[c] = made
	return made
}

// broken denies everything.
type broken struct{ err error }

// Name implements gate.Callback.
func (broken) Name() string { return "callback" }

// Decide implements gate.Callback.
func (b broken) Decide(context.Context, wire.CallbackRequest) (engine.CallbackAnswer, error) {
	return engine.CallbackAnswer{}, b.err
}
