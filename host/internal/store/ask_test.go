package store_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

var askTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// waiting is an ask with every field of a waiting one.
func waiting(id string) ask.Ask {
	return ask.Ask{ID: id, Token: "t1", Agent: "builder", Session: "s1", User: "ann", CallID: "c-" + id, Digest: "d-" + id, Tool: "Bash",
		Input: json.RawMessage(`{"command":"echo r4w-1nput-` + id + `"}`), CWD: "/p", Action: "tool:bash:npm i", ModuleDigest: "m", Kind: engine.Main,
		ProjectRoot: "/p", Changed: []string{"a target"}, Timeout: time.Minute, CallerDeadline: askTime.Add(time.Hour), CreatedAt: askTime,
		Decision: engine.Decision{Behavior: engine.Ask, Stage: engine.StageMode, Suggestions: []engine.Suggestion{{Tool: "Bash", Content: text("npm i"), Behavior: engine.Allow}}},
		Targets:  []engine.Target{{Kind: "path", Value: "x", Access: "read"}}, State: ask.Queued}
}

// ended is the same ask with an answer.
func ended(a ask.Ask, state ask.State, cause ask.Cause, at time.Time) ask.Ask {
	a.State, a.Cause, a.EndedAt, a.Input = state, cause, at, nil
	a.Answer = &ask.Answer{By: "bob", At: at}
	return a
}

func TestAsks_surviveReopening(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i := range 3 {
		must(t, s.InsertAsk(t.Context(), waiting(fmt.Sprint(i))))
	}
	shown := waiting("1")
	shown.State, shown.ShownAt = ask.Shown, askTime
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, shown); !ok || err != nil {
		t.Fatalf("show: got %v, %v", ok, err)
	}
	s = reopened(t, s)
	got, err := s.WaitingAsks(t.Context())
	must(t, err)
	shown.Rev = 1
	if want := []ask.Ask{waiting("0"), shown, waiting("2")}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAsks_ofAChat: where an answer came from, and who could not show the card, is kept.
func TestAsks_ofAChat(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.InsertAsk(t.Context(), waiting("1")))
	next := waiting("1")
	next.Undelivered = []string{"discord"}
	next = ended(next, ask.Denied, ask.CauseAnswered, askTime)
	next.Answer.Origin = &ask.Origin{Account: "212345678901234567", AccountName: "Ann", Via: "reaction", Server: "1", Channel: "2", Message: "3", Interaction: "4", Shown: "ab", Latency: time.Second}
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, next); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
	got, err := reopened(t, s).Ask(t.Context(), next.ID)
	if must(t, err); !reflect.DeepEqual(got.Answer.Origin, next.Answer.Origin) || !reflect.DeepEqual(got.Undelivered, next.Undelivered) {
		t.Errorf("got %+v, %v", got.Answer.Origin, got.Undelivered)
	}
}

func TestInsertAsk_refusesATakenID(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.InsertAsk(t.Context(), waiting("1")))
	other := waiting("1")
	other.CallID = "other"
	if err := s.InsertAsk(t.Context(), other); !errors.Is(err, ask.ErrDuplicateID) {
		t.Errorf("got %v, want ErrDuplicateID", err)
	}
	if got, err := s.Ask(t.Context(), "1"); err != nil || got.CallID != "c-1" {
		t.Errorf("the first: got %+v, %v", got, err)
	}
}

func TestCompareAndSetAsk(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.InsertAsk(t.Context(), waiting("1")))
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Shown, ended(waiting("1"), ask.Approved, ask.CauseAnswered, askTime)); ok || err != nil {
		t.Errorf("from the wrong state: got %v, %v, want false", ok, err)
	}
	if _, err := s.CompareAndSetAsk(t.Context(), ask.Queued, waiting("2")); !errors.Is(err, ask.ErrUnknown) {
		t.Errorf("unknown: got %v, want ErrUnknown", err)
	}
	if got, err := s.Ask(t.Context(), "1"); err != nil || got.State != ask.Queued {
		t.Errorf("afterwards: got %+v, %v", got, err)
	}
}

// Of many answers at once one wins.
func TestCompareAndSetAsk_oneWins(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.InsertAsk(t.Context(), waiting("1")))
	var wins atomic.Int32
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			state := ask.Approved
			if i%2 == 0 {
				state = ask.Denied
			}
			ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, ended(waiting("1"), state, ask.CauseAnswered, askTime))
			if err != nil {
				t.Error(err)
			}
			if ok {
				wins.Add(1)
			}
		})
	}
	wg.Wait()
	if wins.Load() != 1 {
		t.Errorf("winners: got %d, want 1", wins.Load())
	}
}

// T14: when an ask has ended its raw input is in no file of the store, even if
// the caller forgot to take it out.
func TestT14_rawInputIsErased(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	a := waiting("1")
	a.Input = json.RawMessage(`{"command":"` + strings.Repeat("r4w-1nput-1 ", 4000) + `"}`)
	must(t, s.InsertAsk(t.Context(), a))
	checkBytes(t, s.Path(), "r4w-1nput-1", true)
	end := ended(a, ask.Approved, ask.CauseAnswered, askTime)
	end.Input = a.Input
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, end); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
	if got, err := s.Ask(t.Context(), "1"); err != nil || got.Input != nil {
		t.Errorf("got %s, %v, want no input", got.Input, err)
	}
	checkBytes(t, s.Path(), "r4w-1nput-1", false)
}

// A reader of the old pages delays the erasing and not the answer.
func TestT14_rawInputIsErasedBehindAReader(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	s := fresh(t)
	must(t, s.InsertAsk(t.Context(), waiting("1")))
	reader, err := sql.Open("sqlite", s.Path())
	must(t, err)
	defer reader.Close()
	reading, err := reader.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	must(t, err)
	var n int
	must(t, reading.QueryRow("SELECT count(*) FROM asks").Scan(&n))
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, ended(waiting("1"), ask.Denied, ask.CauseTimeout, askTime)); !ok || err != nil {
		t.Fatalf("beside a reader: got %v, %v", ok, err)
	}
	must(t, reading.Rollback())
	appendMany(t, s, 1)
	checkBytes(t, s.Path(), "r4w-1nput-1", false)
}

// T14: quotations of the input in an ended ask hold no secret either, and the caller's own
// value is unchanged.
func TestT14_endedAskIsMasked(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	const canary = "c4n4ry-Secret"
	quote := "TOKEN=" + canary + " npm publish"
	a := waiting("1")
	a.Input, a.Action, a.Changed = json.RawMessage(`{"command":"`+quote+`"}`), "tool:bash:"+quote, []string{quote}
	a.Targets = []engine.Target{{Kind: "host", Value: "https://ann:" + canary + "@h/"}}
	a.Decision = engine.Decision{Behavior: engine.Ask, Reason: quote, Message: quote, SuggestionsNote: quote, Trace: []engine.Step{{Saw: quote}},
		Suggestions: []engine.Suggestion{{Tool: "Bash", Content: &quote, Description: quote}}, Rule: &engine.Rule{Tool: "Bash", Content: &quote, Match: []string{quote}}}
	must(t, s.InsertAsk(t.Context(), a))
	end := ended(a, ask.Denied, ask.CauseAnswered, askTime)
	end.Answer.Reason = quote
	if ok, err := s.CompareAndSetAsk(t.Context(), ask.Queued, end); !ok || err != nil {
		t.Fatalf("got %v, %v", ok, err)
	}
	checkBytes(t, s.Path(), canary, false)
	if *end.Decision.Suggestions[0].Content != quote || end.Changed[0] != quote || end.Answer.Reason != quote || *end.Decision.Rule.Content != quote {
		t.Errorf("the caller's ask was changed: %+v", end)
	}
	if got, err := s.Ask(t.Context(), "1"); err != nil || !strings.Contains(got.Action, "npm publish") {
		t.Errorf("action: got %q, %v, want the call without its secret", got.Action, err)
	}
}

func TestUseAsk_once(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for id, state := range map[string]ask.State{"1": ask.Approved, "2": ask.Denied} {
		must(t, s.InsertAsk(t.Context(), waiting(id)))
		if id == "1" {
			if ok, err := s.UseAsk(t.Context(), id, askTime); ok || err != nil {
				t.Errorf("while it waits: got %v, %v, want false", ok, err)
			}
		}
		_, err := s.CompareAndSetAsk(t.Context(), ask.Queued, ended(waiting(id), state, ask.CauseAnswered, askTime))
		must(t, err)
	}
	if ok, err := s.UseAsk(t.Context(), "2", askTime); ok || err != nil {
		t.Errorf("a denied one: got %v, %v, want false", ok, err)
	}
	var used atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			ok, err := s.UseAsk(t.Context(), "1", askTime.Add(time.Second))
			if err != nil {
				t.Error(err)
			}
			if ok {
				used.Add(1)
			}
		})
	}
	wg.Wait()
	got, err := reopened(t, s).Ask(t.Context(), "1")
	if used.Load() != 1 || err != nil || !got.UsedAt.Equal(askTime.Add(time.Second)) {
		t.Errorf("used %d times, at %v, %v, want once", used.Load(), got.UsedAt, err)
	}
}

func TestUseAsk_unknown(t *testing.T) {
	t.Parallel()
	if _, err := fresh(t).UseAsk(t.Context(), "x", askTime); !errors.Is(err, ask.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
}

func TestLastAsk(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, id := range []string{"1", "2", "3"} {
		a := waiting(id)
		if a.CallID = "same"; id == "3" {
			a.Token = "other"
		}
		must(t, s.InsertAsk(t.Context(), a))
	}
	if got, err := s.LastAsk(t.Context(), ask.Key{Token: "t1", Session: "s1", CallID: "same"}); err != nil || got.ID != "2" {
		t.Errorf("got %s, %v, want ask 2", got.ID, err)
	}
	if _, err := s.LastAsk(t.Context(), ask.Key{Token: "t1", Session: "s2", CallID: "same"}); !errors.Is(err, ask.ErrUnknown) {
		t.Errorf("another session: got %v, want ErrUnknown", err)
	}
}

func TestDeniedAsk(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for i, c := range []struct {
		state ask.State
		cause ask.Cause
	}{{ask.Denied, ask.CauseAnswered}, {ask.Denied, ask.CauseAnswered}, {ask.Approved, ask.CauseAnswered}, {ask.Denied, ask.CauseCaller}} {
		a := waiting(fmt.Sprint(i))
		a.Digest = "same"
		must(t, s.InsertAsk(t.Context(), a))
		_, err := s.CompareAndSetAsk(t.Context(), ask.Queued, ended(a, c.state, c.cause, askTime.Add(time.Duration(i)*time.Minute)))
		must(t, err)
	}
	if got, err := s.DeniedAsk(t.Context(), "builder", "same", askTime.Add(time.Minute)); err != nil || got.ID != "1" {
		t.Errorf("got %s, %v, want ask 1", got.ID, err)
	}
	for name, miss := range map[string]func() error{
		"later": func() error {
			_, err := s.DeniedAsk(t.Context(), "builder", "same", askTime.Add(2*time.Minute))
			return err
		},
		"other agent":  func() error { _, err := s.DeniedAsk(t.Context(), "x", "same", askTime); return err },
		"other digest": func() error { _, err := s.DeniedAsk(t.Context(), "builder", "x", askTime); return err },
	} {
		if err := miss(); !errors.Is(err, ask.ErrUnknown) {
			t.Errorf("%s: got %v, want ErrUnknown", name, err)
		}
	}
}

func TestStreaks(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, k := range []ask.Streak{{Session: "a", Refusals: 1}, {Session: "b", Refusals: 3, PausedAt: askTime}, {Session: "a", Refusals: 2}, {Session: "c", Refusals: 1}, {Session: "c"}} {
		must(t, s.SaveStreak(t.Context(), k))
	}
	got, err := reopened(t, s).Streaks(t.Context())
	if want := []ask.Streak{{Session: "a", Refusals: 2}, {Session: "b", Refusals: 3, PausedAt: askTime}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
