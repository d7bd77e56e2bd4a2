package store_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

func session() store.Session {
	return store.Session{ID: "s1", Agent: "builder", Token: "t1", User: "ann", CWD: "/p/src", ProjectRoot: "/p", Parent: "s0"}
}

func touched(t *testing.T, s *store.Store, in store.Session) store.Session {
	t.Helper()
	got, err := s.TouchSession(t.Context(), in)
	must(t, err)
	return got
}

func TestTouchSession_opensAndRefreshes(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	want := session()
	want.Kind, want.CreatedAt, want.SeenAt = engine.Main, c.now, c.now
	if got := touched(t, s, session()); !reflect.DeepEqual(got, want) {
		t.Errorf("opened: got %+v, want %+v", got, want)
	}
	c.now = c.now.Add(30 * time.Second)
	if got := touched(t, s, session()); !reflect.DeepEqual(got, want) {
		t.Errorf("within a minute: got %+v, want %+v", got, want)
	}
	c.now = c.now.Add(time.Hour)
	want.SeenAt, want.CWD, want.Kind = c.now, "/q", engine.Background
	next := store.Session{ID: "s1", Agent: "builder", Token: "t1", CWD: "/q", Kind: engine.Background, Parent: "other"}
	if got := touched(t, s, next); !reflect.DeepEqual(got, want) {
		t.Errorf("an hour later: got %+v, want %+v", got, want)
	}
	must(t, s.Close())
	s = opened(t, s.Path(), store.Options{})
	if got, err := s.Session(t.Context(), "s1"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("reopened: got %+v, %v, want %+v", got, err, want)
	}
}

// T02: a caller sets neither mode nor pause, nor takes another's session.
func TestT02_touchWidensNothing(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	bypass := engine.Bypass
	in := session()
	in.Mode = &bypass
	if got := touched(t, s, in); got.Mode != nil {
		t.Errorf("opened with a mode: got %v, want none", *got.Mode)
	}
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "s1", Refusals: 3, PausedAt: time.Now()}))
	if got := touched(t, s, in); got.Paused != "3 refusals in a row" || got.Mode != nil {
		t.Errorf("touched while paused: got %+v", got)
	}
	for _, foreign := range []store.Session{{ID: "s1", Agent: "builder", Token: "t2", CWD: "/evil"}, {ID: "s1", Agent: "other", Token: "t1", CWD: "/evil"}} {
		if got, err := s.TouchSession(t.Context(), foreign); !errors.Is(err, store.ErrForeignSession) {
			t.Errorf("touch by %s of %s: got %+v, %v, want ErrForeignSession", foreign.Token, foreign.Agent, got, err)
		}
		s = reopened(t, s)
		if got, err := s.TouchSession(t.Context(), foreign); !errors.Is(err, store.ErrForeignSession) {
			t.Errorf("touch by %s of %s after reopening: got %+v, %v, want ErrForeignSession", foreign.Token, foreign.Agent, got, err)
		}
	}
	if got, err := s.Session(t.Context(), "s1"); err != nil || got.CWD != "/p/src" {
		t.Errorf("afterwards: got %+v, %v", got, err)
	}
}

func TestTouchSession_refuses(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for name, spoil := range map[string]func(*store.Session){
		"no id":         func(s *store.Session) { s.ID = "" },
		"no agent":      func(s *store.Session) { s.Agent = "" },
		"no token":      func(s *store.Session) { s.Token = "" },
		"unknown kind":  func(s *store.Session) { s.Kind = "daemon" },
		"long id":       func(s *store.Session) { s.ID = strings.Repeat("x", 1025) },
		"invalid UTF-8": func(s *store.Session) { s.CWD = "/\xff" },
		"NUL":           func(s *store.Session) { s.ID = "a\x00" },
	} {
		in := session()
		spoil(&in)
		if got, err := s.TouchSession(t.Context(), in); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
}

func TestSession_unknown(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	mode := engine.Explore
	for name, err := range map[string]error{
		"Session": func() error { _, err := s.Session(t.Context(), "x"); return err }(),
		"SetMode": s.SetMode(t.Context(), "x", &mode, "ann"),
		"Note":    s.NoteSession(t.Context(), "x", store.EventSessionInterrupted, "ann", ""),
		"Clear":   func() error { _, err := s.ClearSession(t.Context(), "x", "ann"); return err }(),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: got %v, want ErrNotFound", name, err)
		}
	}
}

func TestSession_modeAndPauseSurvive(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	touched(t, s, session())
	mode := engine.Explore
	must(t, s.SetMode(t.Context(), "s1", &mode, "ann"))
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "s1", Refusals: 3, PausedAt: c.now}))
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "s1", Refusals: 4, PausedAt: c.now})) // no second pause
	must(t, s.Close())
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	got := touched(t, s, session())
	if got.Mode == nil || *got.Mode != engine.Explore || got.Paused != "3 refusals in a row" || !got.PausedAt.Equal(c.now) {
		t.Errorf("reopened: got %+v", got)
	}
	_, err := s.ClearSession(t.Context(), "s1", "ann")
	must(t, err)
	if got = touched(t, s, session()); got.Mode != nil || got.Paused == "" {
		t.Errorf("cleared: got %+v, want no mode and still paused", got)
	}
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "s1", By: "bob"}))
	if got = touched(t, s, session()); got.Paused != "" || !got.PausedAt.IsZero() {
		t.Errorf("resumed: got %+v", got)
	}
	must(t, s.NoteSession(t.Context(), "s1", store.EventSessionInterrupted, "ann", "2 asks cancelled"))
	var events []string
	for _, r := range rowsOf(t, s, store.Filter{Session: "s1"}) {
		events = append(events, string(r.Event)+" by "+r.DecidedBy)
	}
	want := []string{"session_mode by ann", "session_paused by callgate", "session_cleared by ann", "session_resumed by bob", "session_interrupted by ann"}
	if !slices.Equal(events, want) {
		t.Errorf("events: got %q, want %q", events, want)
	}
}

// TestNoteShell: changes of a shell are kept for each tool, each part with its first two calls,
// over a restart, until a clear.
func TestNoteShell(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	touched(t, s, session())
	first := c.now
	must(t, s.NoteShell(t.Context(), "s1", "Bash", "toolu_1", []string{"directory"}))
	c.now = c.now.Add(time.Second)
	for _, call := range []string{"toolu_2", "toolu_2", "toolu_3"} {
		must(t, s.NoteShell(t.Context(), "s1", "Bash", call, []string{"directory", "environment"}))
	}
	must(t, s.NoteShell(t.Context(), "s1", "Bash", "toolu_4", []string{"directory"}))
	must(t, s.Close())
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	got := touched(t, s, session())
	want := []store.ShellChange{
		{Tool: "Bash", Part: "directory", CallID: "toolu_1", At: first}, {Tool: "Bash", Part: "directory", CallID: "toolu_2", At: c.now},
		{Tool: "Bash", Part: "environment", CallID: "toolu_2", At: c.now}, {Tool: "Bash", Part: "environment", CallID: "toolu_3", At: c.now},
	}
	if !reflect.DeepEqual(got.Shell, want) {
		t.Errorf("reopened: got %+v, want %+v", got.Shell, want)
	}
	if rows := rowsOf(t, s, store.Filter{Session: "s1"}); len(rows) != 3 {
		t.Errorf("audit: got %d rows, want one for each change: %+v", len(rows), rows)
	}
	_, err := s.ClearSession(t.Context(), "s1", "ann")
	must(t, err)
	if got := touched(t, s, session()); got.Shell != nil {
		t.Errorf("cleared: got %+v", got.Shell)
	}
	if err := s.NoteShell(t.Context(), "nobody", "Bash", "", []string{"directory"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("unknown session: got %v", err)
	}
}

func TestSessions_filter(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	for _, in := range []store.Session{{ID: "1", Agent: "a", Token: "t"}, {ID: "2", Agent: "b", Token: "t"}, {ID: "3", Agent: "b", Token: "u"}} {
		touched(t, s, in)
		c.now = c.now.Add(time.Hour)
	}
	must(t, s.SaveStreak(t.Context(), ask.Streak{Session: "2", Refusals: 3, PausedAt: c.now}))
	for name, f := range map[string]struct {
		f    store.SessionFilter
		want string
	}{
		"all":    {store.SessionFilter{}, "321"},
		"agent":  {store.SessionFilter{Agent: "b"}, "32"},
		"token":  {store.SessionFilter{Token: "t"}, "21"},
		"since":  {store.SessionFilter{Since: c.now.Add(-2 * time.Hour)}, "32"},
		"paused": {store.SessionFilter{Paused: true}, "2"},
		"limit":  {store.SessionFilter{Limit: 1}, "3"},
	} {
		found, err := s.Sessions(t.Context(), f.f)
		must(t, err)
		got := ""
		for _, x := range found {
			got += x.ID
		}
		if got != f.want {
			t.Errorf("%s: got %s, want %s", name, got, f.want)
		}
	}
}
