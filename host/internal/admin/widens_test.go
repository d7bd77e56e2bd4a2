package admin_test

import (
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// TestWidens is every change of a session's mode; "agent" is the agent's own, default.
func TestWidens(t *testing.T) {
	t.Parallel()
	modes := []string{"explore", "default", "accept_edits", "trusted", "bypass", "dont_ask", "agent"}
	tightens := map[string]bool{
		"default explore": true, "accept_edits explore": true, "trusted explore": true, "bypass explore": true, "agent explore": true,
		"accept_edits default": true, "trusted default": true, "bypass default": true,
		"accept_edits agent": true, "trusted agent": true, "bypass agent": true, "default agent": true, "agent default": true,
		"trusted accept_edits": true, "bypass accept_edits": true,
		"default dont_ask": true, "accept_edits dont_ask": true, "trusted dont_ask": true, "bypass dont_ask": true, "agent dont_ask": true,
	}
	w := newWorld(t, "{}")
	open := func(id, token string) {
		t.Helper()
		if _, err := w.Store.TouchSession(t.Context(), store.Session{ID: id, Agent: "default", Token: token}); err != nil {
			t.Fatal(err)
		}
	}
	open("s", "check:default")
	for _, now := range modes {
		if err := w.Gate.SetMode(t.Context(), "s", modeNamed(t, now), "ann"); err != nil {
			t.Fatal(err)
		}
		for _, next := range modes {
			got, err := w.Gate.Widens(t.Context(), "s", modeNamed(t, next))
			if want := now != next && !tightens[now+" "+next]; err != nil || got != want {
				t.Errorf("%s to %s: got %t, %v, want %t", now, next, got, err, want)
			}
		}
	}
	// An integrator's word counts again as soon as the session has no mode.
	open("i", "hub")
	if err := w.Gate.SetMode(t.Context(), "i", modeNamed(t, "default"), "ann"); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Gate.Widens(t.Context(), "i", nil); err != nil || !got {
		t.Errorf("back to an integrator's word: got %t, %v, want true", got, err)
	}
	if _, err := w.Gate.Widens(t.Context(), "nowhere", nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such session: got %v, want ErrNotFound", err)
	}
}

func modeNamed(t *testing.T, name string) *engine.Mode {
	t.Helper()
	if name == "agent" {
		return nil
	}
	mode, err := engine.ParseMode(name)
	if err != nil {
		t.Fatal(err)
	}
	return &mode
}
