package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/people"
)

// TestT27_clearFreesForks: somebody in the chat without any grant clears a session whose
// forks somebody held to a stricter mode.
func TestT27_clearFreesForks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: bypass, user: joe}}\n")
	w.check(worker, call("x"))
	explore := engine.Explore
	if err := w.gate.SetForkMode(context.Background(), "s1", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	viewer := people.Person{Name: "eve", Roles: []string{"viewer"}}
	if err := w.gate.ChangeForkMode(context.Background(), gate.Change{Person: viewer}, "s1", nil); err == nil {
		t.Fatal("eve frees the forks outright")
	}
	if _, err := w.gate.Clear(context.Background(), gate.Change{By: "eve", Person: viewer}, "s1"); !errors.Is(err, gate.ErrNotEntitled) {
		t.Errorf("eve clears the session: got %v", err)
	}
	if known, _, err := w.gate.Session(context.Background(), "s1"); err != nil || known.ForkMode == nil || *known.ForkMode != engine.Explore {
		t.Errorf("the forks are free: %v", err)
	}
}
