package ask_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/ask"
)

func TestLimitPerSession(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		for i := range 6 {
			name := fmt.Sprint("c", i)
			w.request(name, call(name))
		}
		w.want("c5", ask.Denied, ask.CauseFlood)
		if got := len(w.broker.Waiting(ask.Filter{State: ask.Shown})); got != 1 {
			t.Errorf("visible asks: got %d, want 1", got)
		}
		if got := w.broker.Position(w.id("c4")); got != 4 {
			t.Errorf("position of the last: got %d, want 4", got)
		}
		w.approve("c0")
		w.request("c6", call("c6"))
		if w.id("c6") == "" {
			t.Error("no room after one was answered")
		}
		must(t)(w.broker.Interrupt(w.t.Context(), "s1"))
	})
}

// TestT12_Flood is threat T12: ten thousand asks in a minute give at most 20 cards,
// and of the rest nothing is kept.
func TestT12_Flood(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		refused := 0
		for i := range 10_000 {
			a := call(fmt.Sprint("c", i))
			a.Session = fmt.Sprint("s", i%1000)
			if i < 20 {
				w.request(a.CallID, a)
				continue
			}
			out, err := w.broker.Ask(w.t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if out.Cause == ask.CauseFlood {
				refused++
			}
			time.Sleep(6 * time.Millisecond / 10)
		}
		if got := len(w.broker.Waiting(ask.Filter{})); got != 20 || refused != 9980 {
			t.Errorf("got %d waiting and %d refused, want 20 and 9980", got, refused)
		}
		if w.store.writes != 20 {
			t.Errorf("got %d writes to the store, want 20", w.store.writes)
		}
		for i := range 20 {
			must(t)(w.broker.Interrupt(w.t.Context(), fmt.Sprint("s", i)))
		}
	})
}

func TestEqualCallIsDeniedWithoutACard(t *testing.T) {
	t.Parallel()
	again := func(callID string) ask.Ask {
		a := call("rm -rf build")
		a.CallID = callID
		return a
	}
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("first", again("first"))
		w.deny("first")
		w.until(9 * time.Minute)
		w.request("twin", again("twin"))
		w.want("twin", ask.Denied, ask.CauseRepeated)
		elsewhere := again("elsewhere")
		elsewhere.Session = "s2"
		w.request("elsewhere", elsewhere)
		w.want("elsewhere", ask.Denied, ask.CauseRepeated)
		if w.store.writes != 2 {
			t.Errorf("got %d writes, want 2: a twin has no card", w.store.writes)
		}
		w.until(10*time.Minute + time.Second)
		w.request("later", again("later"))
		w.approve("later")
		w.want("later", ask.Approved, ask.CauseAnswered)
	})
}

func TestTimeoutIsNotADenialOfTwins(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		a := call("ls")
		w.request("a", a)
		w.until(61 * time.Second)
		a.CallID = "b"
		w.request("b", a)
		w.approve("b")
		w.want("b", ask.Approved, ask.CauseAnswered)
	})
}

func TestPause(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"denials", "time-outs"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				for i := range 3 {
					name := fmt.Sprint("c", i)
					w.request(name, call(name))
					if how == "denials" {
						w.deny(name)
					} else {
						w.outcome(name)
						synctest.Wait()
					}
				}
				w.request("next", call("next"))
				w.want("next", ask.Denied, ask.CausePaused)
				if got := w.outcome("next").Message; !strings.Contains(got, "callgate sessions resume 's1'") {
					t.Errorf("message does not say how to resume: %q", got)
				}
				w.restart()
				w.request("next", call("next"))
				w.want("next", ask.Denied, ask.CausePaused)
				if got := w.paused(); len(got) != 1 || got[0] != "s1" {
					t.Errorf("paused: got %v, want s1", got)
				}
				must(t)(0, w.broker.Resume(w.t.Context(), "s1", "ann"))
				if err := w.broker.Resume(w.t.Context(), "s1", "ann"); !errors.Is(err, ask.ErrNotPaused) {
					t.Errorf("second resume: got %v, want %v", err, ask.ErrNotPaused)
				}
				w.request("next", call("next"))
				w.approve("next")
				w.want("next", ask.Approved, ask.CauseAnswered)
			})
		})
	}
}

// paused are the sessions that are paused, as the store has it.
func (w *world) paused() []string {
	w.t.Helper()
	streaks, err := w.store.Streaks(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var sessions []string
	for _, s := range streaks {
		if !s.PausedAt.IsZero() {
			sessions = append(sessions, s.Session)
		}
	}
	return sessions
}

func TestPauseDeniesWhatWaits(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		for i := range 5 {
			name := fmt.Sprint("c", i)
			w.request(name, call(name))
		}
		for i := range 3 {
			w.deny(fmt.Sprint("c", i))
		}
		w.want("c3", ask.Denied, ask.CausePaused)
		w.want("c4", ask.Denied, ask.CausePaused)
		if got := w.stored("c4").ShownAt; !got.IsZero() {
			t.Errorf("c4 was shown at %v in a paused session", got)
		}
		must(t)(0, w.broker.Resume(w.t.Context(), "s1", "ann"))
		w.request("c4", call("c4")) // nobody had decided about it
		w.approve("c4")
	})
}

func TestAnApprovalEndsTheStreak(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		for i, verdict := range []ask.Verdict{ask.Deny, ask.Deny, ask.Approve, ask.Deny, ask.Deny} {
			name := fmt.Sprint("c", i)
			w.request(name, call(name))
			if _, err := w.answer(name, ask.Answer{Verdict: verdict}); err != nil {
				t.Fatal(err)
			}
		}
		if got := w.paused(); len(got) != 0 {
			t.Errorf("paused: got %v, want none", got)
		}
	})
}

func TestClockIsCappedByTheCaller(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		a := call("a")
		a.CallerDeadline = time.Now().Add(20 * time.Second)
		w.request("a", a)
		b := call("b")
		b.CallerDeadline = time.Now().Add(10 * time.Second)
		w.request("b", b)
		w.want("b", ask.TimedOut, ask.CauseTimeout)
		if got := w.calls["b"].at; got != 10*time.Second {
			t.Errorf("queued ask ended at %v, want 10s", got)
		}
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		if got := w.calls["a"].at; got != 20*time.Second {
			t.Errorf("visible ask ended at %v, want 20s", got)
		}
	})
}

func TestALateCallerDeadlineDoesNotStretchTheClock(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		a := call("a")
		a.CallerDeadline = time.Now().Add(time.Hour)
		w.request("a", a)
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		if got := w.calls["a"].at; got != time.Minute {
			t.Errorf("ended at %v, want 1m", got)
		}
	})
}

// TestQueuedTimeoutsDoNotPause: nobody left them unanswered.
func TestQueuedTimeoutsDoNotPause(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("first", call("first"))
		for i := range 3 {
			a := call(fmt.Sprint("c", i))
			a.CallerDeadline = time.Now().Add(time.Second)
			w.request(a.CallID, a)
		}
		w.until(2 * time.Second)
		w.want("c2", ask.TimedOut, ask.CauseTimeout)
		if got := w.paused(); len(got) != 0 {
			t.Errorf("paused: got %v, want none", got)
		}
		w.approve("first")
	})
}

func TestInterruptShowsNothingInBetween(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		w.request("b", call("b"))
		must(w.t)(w.broker.Interrupt(w.t.Context(), "s1"))
		if got := w.stored("b").ShownAt; !got.IsZero() {
			t.Errorf("b was shown at %v by an interrupt", got)
		}
	})
}

func TestAnAskHasItsOwnTimeout(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		a := call("a")
		a.Timeout = 5 * time.Second
		w.request("a", a)
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		if got := w.calls["a"].at; got != 5*time.Second {
			t.Errorf("ended at %v, want 5s", got)
		}
	})
}
