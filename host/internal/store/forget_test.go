package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// A session with contents stays, for any time unseen.
func TestForgetSessions_leavesWhatHoldsSomething(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	ctx := t.Context()
	for i := range 450 {
		touchNamed(t, s, fmt.Sprint("plain-", i))
	}
	for _, id := range []string{"mode", "fork", "ruled", "waits", "shell", "paused", "seen"} {
		touchNamed(t, s, id)
	}
	strict := engine.Explore
	must(t, s.SetMode(ctx, "mode", &strict, "ann"))
	must(t, s.SetForkMode(ctx, "fork", &strict, "ann"))
	_, err := s.AddRule(ctx, engine.Rule{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Session, ScopeKey: "ruled"})
	must(t, err)
	a := waiting("w1")
	a.Session = "waits"
	must(t, s.InsertAsk(ctx, a))
	must(t, s.NoteShell(ctx, "shell", "Bash", "c1", []string{"directory"}))
	must(t, s.SaveStreak(ctx, ask.Streak{Session: "paused", Refusals: 3, PausedAt: c.Now()}))
	c.now = c.now.Add(store.SessionsKept + time.Hour)
	touchNamed(t, s, "seen")
	n, err := s.ForgetSessions(ctx)
	if err != nil || n != 450 {
		t.Errorf("forgotten: got %d, %v, want the 450 that hold nothing", n, err)
	}
	left, err := s.Sessions(ctx, store.SessionFilter{})
	if err != nil || len(left) != 7 {
		t.Errorf("left: got %d, %v, want 7", len(left), err)
	}
	if _, err := s.Session(ctx, "plain-3"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a forgotten session: got %v, want not found", err)
	}
	touchNamed(t, s, "plain-3") // it may begin anew
}

func touchNamed(t *testing.T, s *store.Store, id string) {
	t.Helper()
	if _, err := s.TouchSession(t.Context(), store.Session{ID: id, Agent: "a", Token: "t"}); err != nil {
		t.Fatal(err)
	}
}

// Waiting asks are never forgotten, and ended ones not before their time.
func TestForgetAsks(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	ctx := t.Context()
	for i := range 3 {
		must(t, s.InsertAsk(ctx, waiting(fmt.Sprint("k", i))))
	}
	for i, at := range []time.Time{c.Now(), c.Now().Add(store.AsksKept)} {
		a := waiting(fmt.Sprint("k", i))
		if ok, err := s.CompareAndSetAsk(ctx, ask.Queued, ended(a, ask.Denied, ask.CauseAnswered, at)); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	c.now = c.now.Add(store.AsksKept + time.Hour)
	if n, err := s.ForgetAsks(ctx); n != 1 || err != nil {
		t.Errorf("got %d, %v, want 1", n, err)
	}
	if _, err := s.Ask(ctx, waiting("k0").ID); !errors.Is(err, ask.ErrUnknown) {
		t.Errorf("the old one: got %v, want unknown", err)
	}
	for _, id := range []string{"k1", "k2"} {
		if _, err := s.Ask(ctx, waiting(id).ID); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}
