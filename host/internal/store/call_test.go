package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// judged is an allowed call of session s1.
func judged(id, digest string, at time.Time) store.Call {
	return store.Call{
		Key: ask.Key{Token: "t1", Session: "s1", CallID: id}, Agent: "builder", Tool: "Bash", CWD: "/p", InputDigest: digest, Digest: digest + "/p",
		Behavior: engine.Allow, Outcome: store.Allowed, Moves: true, JudgedAt: at.UTC().Round(0),
	}
}

// TestT10_callsAreKeptWithTheirRow: a call and the row of its answer are written together; the
// same id with another input leaves neither.
func TestT10_callsAreKeptWithTheirRow(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	want := judged("c1", "d1", time.Now())
	row, err := s.AppendCall(t.Context(), decision(), want)
	must(t, err)
	want.AuditSeq = row.Seq
	s = reopened(t, s)
	if got, err := s.Call(t.Context(), want.Key); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := s.AppendCall(t.Context(), decision(), judged("c1", "d2", time.Now())); !errors.Is(err, store.ErrCallReused) {
		t.Errorf("another input: got %v, want ErrCallReused", err)
	}
	if got, err := s.Call(t.Context(), want.Key); err != nil || got != want {
		t.Errorf("afterwards: got %+v, %v, want %+v", got, err, want)
	}
	report, err := s.VerifyAudit(t.Context())
	if err != nil || !report.OK() || report.Rows != row.Seq {
		t.Errorf("audit: got %+v, %v, want %d sound rows", report, err, row.Seq)
	}
	must(t, s.FinishCall(t.Context(), want.Key, time.Now(), nil))
	again := judged("c1", "d1", time.Now())
	again.Behavior, again.Outcome = engine.Deny, store.Denied
	row, err = s.AppendCall(t.Context(), store.Row{Agent: "builder", Decision: store.Denied}, again)
	must(t, err)
	again.AuditSeq = row.Seq
	if got, err := s.Call(t.Context(), want.Key); err != nil || got != again {
		t.Errorf("judged anew: got %+v, %v, want %+v", got, err, again)
	}
	if _, err := s.Call(t.Context(), ask.Key{Token: "t2", Session: "s1", CallID: "c1"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another token's: got %v, want ErrNotFound", err)
	}
}

// TestT11_movingCalls are the session's recently allowed, moving and unfinished ones.
func TestT11_movingCalls(t *testing.T) {
	t.Parallel()
	s, now := fresh(t), time.Now()
	since := now.Add(-10 * time.Minute)
	add := func(id string, change func(*store.Call)) store.Call {
		c := judged(id, id, now)
		change(&c)
		row, err := s.AppendCall(t.Context(), decision(), c)
		must(t, err)
		c.AuditSeq = row.Seq
		return c
	}
	add("old", func(c *store.Call) { c.JudgedAt = since.Add(-time.Second) })
	add("still", func(c *store.Call) { c.Moves = false })
	add("denied", func(c *store.Call) { c.Behavior = engine.Deny })
	add("elsewhere", func(c *store.Call) { c.Key.Session = "s2" })
	ended := add("ended", func(*store.Call) {})
	must(t, s.FinishCall(t.Context(), ended.Key, now, nil))
	want := add("moves", func(*store.Call) {})
	got, err := s.MovingCalls(t.Context(), "t1", "s1", since)
	if err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v, want %+v alone", got, err, want)
	}
	for digest, id := range map[string]string{"moves": "moves", "still": "still", "old": "", "denied": "", "elsewhere": "", "ended": ""} {
		got, err := s.OpenCall(t.Context(), "t1", "s1", digest, since)
		if id == "" && !errors.Is(err, store.ErrNotFound) || id != "" && (err != nil || got.Key.CallID != id) {
			t.Errorf("open call %s: got %+v, %v, want %q", digest, got, err, id)
		}
	}
}

// A finished call keeps its first end; a row comes with it, masked.
func TestT08_finishCall(t *testing.T) {
	t.Parallel()
	s, now := fresh(t), time.Now().UTC().Round(0)
	c := judged("c1", "d1", now)
	_, err := s.AppendCall(t.Context(), decision(), c)
	must(t, err)
	must(t, s.FinishCall(t.Context(), c.Key, now, nil))
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	must(t, s.FinishCall(t.Context(), c.Key, now.Add(time.Hour), &store.Row{Event: store.EventCallMismatch, Input: `{"command":"curl -H 'Authorization: Bearer ` + secret + `'"}`}))
	if got, err := s.Call(t.Context(), c.Key); err != nil || !got.FinishedAt.Equal(now) {
		t.Errorf("got %+v, %v, want the first end %s", got, err, now)
	}
	rows := 0
	for row, err := range s.Audit(t.Context(), store.Filter{Event: store.EventCallMismatch}) {
		must(t, err)
		if rows++; strings.Contains(row.Input, secret) {
			t.Errorf("the row holds the secret: %s", row.Input)
		}
	}
	if rows != 1 {
		t.Errorf("rows: got %d, want 1", rows)
	}
	must(t, s.FinishCall(t.Context(), judged("unknown", "", now).Key, now, nil))
}

// Calls are forgotten after a week, not before.
func TestForgetCalls(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	s := opened(t, place(t), store.Options{Now: func() time.Time { return now }})
	for i, age := range []time.Duration{store.CallsKept + time.Second, store.CallsKept, 0} {
		_, err := s.AppendCall(t.Context(), decision(), judged(fmt.Sprint("c", i), "d", now.Add(-age)))
		must(t, err)
	}
	if n, err := s.ForgetCalls(t.Context()); err != nil || n != 1 {
		t.Errorf("got %d, %v, want 1 forgotten", n, err)
	}
	for i, want := range []bool{false, true, true} {
		if _, err := s.Call(t.Context(), judged(fmt.Sprint("c", i), "d", now).Key); (err == nil) != want {
			t.Errorf("c%d: got %v, want kept %t", i, err, want)
		}
	}
}

// A stop and its reason survive a restart, and the session says it.
func TestT08_stopSurvivesReopening(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	touched(t, s, session())
	at := time.Now().UTC().Round(0)
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "s1", PausedAt: at, Why: "another input ran"}))
	s = reopened(t, s)
	streaks, err := s.Streaks(t.Context())
	if err != nil || len(streaks) != 1 || streaks[0].Why != "another input ran" {
		t.Errorf("got %+v, %v, want the reason", streaks, err)
	}
	if got, err := s.Session(t.Context(), "s1"); err != nil || got.Paused != "another input ran" {
		t.Errorf("session: got %+v, %v, want the reason", got, err)
	}
}
