package api_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/wire"
)

// pendingFile is a configuration with the file of digest "shown" waiting.
type pendingFile struct {
	mu    sync.Mutex
	by    string
	looks int
}

// LookAtConfig implements api.Configuration.
func (p *pendingFile) LookAtConfig(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	return nil
}

// ConfigState implements api.Configuration.
func (p *pendingFile) ConfigState() wire.ConfigState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state()
}

func (p *pendingFile) state() wire.ConfigState {
	if p.by != "" {
		return wire.ConfigState{File: "/etc/callgate.yaml", Accepted: "shown", Widenings: []wire.PendingChange{}}
	}
	return wire.ConfigState{
		File: "/etc/callgate.yaml", Accepted: "before", Pending: "shown", Problem: "line 3",
		Widenings: []wire.PendingChange{{Where: "defaults.mode", Line: 2, Was: "default", Will: "bypass"}, {Where: "rules", Was: "deny Bash"}},
	}
}

// AcceptConfig implements api.Configuration.
func (p *pendingFile) AcceptConfig(_ context.Context, digest, by string) (wire.ConfigState, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.by != "":
		return p.state(), config.ErrNothingPending
	case digest != "shown":
		return p.state(), config.ErrChangedSince
	}
	p.by = by
	return p.state(), nil
}

// TestAcceptConfig: the shown file is accepted in the person's name, any other is a conflict
// with advice, and a check token sees none of it.
func TestAcceptConfig(t *testing.T) {
	t.Parallel()
	file := &pendingFile{}
	w := newWorld(t, func(c *api.Config) { c.Configuration = file })
	if _, err := w.client("default").ConfigState(t.Context()); status(err) != http.StatusForbidden {
		t.Errorf("a check token: got %v, want 403", err)
	}
	admin := w.client("admin")
	s, err := admin.ConfigState(t.Context())
	if err != nil || s.Pending != "shown" || len(s.Widenings) != 2 || s.Widenings[0].Will != "bypass" {
		t.Fatalf("got %+v, %v", s, err)
	}
	if _, err := admin.AcceptConfig(t.Context(), "ana", "stale"); status(err) != http.StatusConflict {
		t.Errorf("another file: got %v, want 409", err)
	}
	if s, err = admin.AcceptConfig(t.Context(), "ana", s.Pending); err != nil || s.Pending != "" || file.by != "ana" {
		t.Errorf("got %+v, %v by %q, want accepted by ana", s, err, file.by)
	}
	if file.looks != 3 {
		t.Errorf("looked at the file %d times, want before each of one state and two acceptances", file.looks)
	}
}

func status(err error) int {
	var e *protocol.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}
