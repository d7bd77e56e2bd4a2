package api_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/config"
)

// pendingFile is a configuration of which the file with digest "shown" waits.
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
func (p *pendingFile) ConfigState() config.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state()
}

func (p *pendingFile) state() config.State {
	if p.by != "" {
		return config.State{File: "/etc/callgate.yaml", Accepted: "shown", Widenings: []config.Widening{}}
	}
	return config.State{
		File: "/etc/callgate.yaml", Accepted: "before", Pending: "shown", Problem: "line 3",
		Widenings: []config.Widening{{Where: "defaults.mode", Line: 2, Was: "default", Will: "bypass"}, {Where: "rules", Was: "deny Bash"}},
	}
}

// AcceptConfig implements api.Configuration.
func (p *pendingFile) AcceptConfig(_ context.Context, digest, by string) (config.State, error) {
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

// TestAcceptConfig: what was shown is accepted in the person's name, anything else
// is a conflict that says what to do, and a check token sees none of it.
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
	var e *api.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}
