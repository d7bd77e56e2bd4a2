package ask_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestLimitPerSession(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PerSession: 5}, func(w *world) {
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

// TestBatchOneAfterAnother: calls of one answer of the model are shown one after another,
// and a denial or a time-out of one drops none of the others, up to the built-in bounds.
func TestBatchOneAfterAnother(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		for _, name := range []string{"c0", "c1", "c2", "c3"} {
			w.request(name, call(name))
		}
		shown := func(want string) {
			t.Helper()
			visible := w.broker.Waiting(ask.Filter{State: ask.Shown})
			if len(visible) != 1 || visible[0].CallID != want {
				t.Errorf("got %d visible asks %+v, want %s alone", len(visible), visible, want)
			}
		}
		shown("c0")
		w.deny("c0")
		w.want("c0", ask.Denied, ask.CauseAnswered)
		shown("c1")
		w.approve("c1")
		shown("c2")
		w.deny("c2")
		shown("c3")
		w.approve("c3")
		w.want("c3", ask.Approved, ask.CauseAnswered)
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
			out, err := w.broker.Ask(w.t.Context(), &a)
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

// TestPauseDropsNothingUnseen: a pause refuses new calls. Those that wait already are
// shown and answered, also when their client comes back.
func TestPauseDropsNothingUnseen(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		for i := range 5 {
			name := fmt.Sprint("c", i)
			w.request(name, call(name))
		}
		for i := range 3 {
			w.deny(fmt.Sprint("c", i))
		}
		if got := w.paused(); len(got) != 1 {
			t.Errorf("paused: got %v, want s1", got)
		}
		w.request("new", call("new"))
		w.want("new", ask.Denied, ask.CausePaused)
		w.request("c4 again", call("c4")) // joins the one that waits
		w.approve("c3")
		w.want("c3", ask.Approved, ask.CauseAnswered)
		w.approve("c4")
		w.want("c4", ask.Approved, ask.CauseAnswered)
		w.want("c4 again", ask.Approved, ask.CauseAnswered)
	})
}

// TestTogether: eight parallel asks are answered at once, the queued ones as well, and a
// denial of all is one refusal.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, verdict := range []ask.Verdict{ask.Approve, ask.Deny} {
		inWorld(t, ask.Config{}, func(w *world) {
			for i := range 8 {
				name := fmt.Sprint("c", i)
				w.request(name, call(name))
			}
			for i, a := range w.broker.Waiting(ask.Filter{}) {
				if _, err := w.broker.Answer(w.t.Context(), a.ID, ask.Answer{Verdict: verdict, By: "ann", Together: i + 1}); err != nil {
					t.Error(err)
				}
			}
			synctest.Wait()
			state := map[ask.Verdict]ask.State{ask.Approve: ask.Approved, ask.Deny: ask.Denied}[verdict]
			for i := range 8 {
				w.want(fmt.Sprint("c", i), state, ask.CauseAnswered)
			}
			if got := w.paused(); len(got) != 0 {
				t.Errorf("paused: got %v, want none after one denial of all", got)
			}
		})
	}
}

// TestTogetherReachesNoOther: answers to several asks at once end no ask that they do not
// name, and approve none that needs its own answer.
func TestTogetherReachesNoOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		kinds := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 10).Draw(rt, "kinds")
		named := rapid.SliceOfN(rapid.Bool(), len(kinds), len(kinds)).Draw(rt, "named")
		verdict := rapid.SampledFrom([]ask.Verdict{ask.Approve, ask.Deny}).Draw(rt, "verdict")
		broken := ""
		inWorld(t, ask.Config{}, func(w *world) {
			for i, kind := range kinds {
				a := call(fmt.Sprint("c", i))
				switch kind {
				case 1:
					a.Decision.BypassImmune, a.Decision.Stage = true, engine.StageToolCheck
				case 2:
					a = callWith(a.CallID, fmt.Sprintf("{%q:%q}", "command", fmt.Sprint(i)+strings.Repeat("x", ask.MaxShownBytes)))
				case 3:
					a.Approvers = approvers.Policy{{Quorum: 2}}
				}
				w.request(a.CallID, a)
			}
			for i, a := range w.broker.Waiting(ask.Filter{}) {
				if named[i] {
					_, _ = w.broker.Answer(w.t.Context(), a.ID, ask.Answer{Verdict: verdict, By: "ann", Together: i + 1, ConfirmID: a.ID})
				}
			}
			synctest.Wait()
			for i, kind := range kinds {
				want := named[i] && (verdict == ask.Deny || kind == 0)
				if ended := w.outcomeNow(fmt.Sprint("c", i)); ended != want {
					broken = fmt.Sprintf("ask %d of kind %d, named %t: ended %t, want %t", i, kind, named[i], ended, want)
				}
			}
			must(w.t)(w.broker.Clear(w.t.Context(), "s1"))
		})
		if broken != "" {
			rt.Fatal(broken)
		}
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
