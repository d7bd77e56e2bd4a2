package ask_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// A failing store never makes an approval, and never hangs a caller.

func TestStoreFailsBeforeTheCard(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"InsertAsk", "LastAsk", "DeniedAsk"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				w.store.fail(method, true)
				out, err := w.broker.Ask(w.t.Context(), new(call("a")))
				if !errors.Is(err, errDisk) || out.Approved() || out.Cause != ask.CauseError {
					t.Errorf("got %v (%s), approved=%v; want the store's error and a denial", err, out.Cause, out.Approved())
				}
				if len(w.broker.Waiting(ask.Filter{})) != 0 {
					t.Error("an ask that was not stored is shown")
				}
			})
		})
	}
}

func TestStoreFailsAtTheAnswer(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		w.store.fail("CompareAndSetAsk", true)
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve}); !errors.Is(err, errDisk) {
			t.Errorf("got %v, want %v", err, errDisk)
		}
		if w.outcomeNow("a") {
			t.Fatal("the call was answered although the answer is not stored")
		}
		w.store.fail("CompareAndSetAsk", false)
		w.approve("a")
		w.want("a", ask.Approved, ask.CauseAnswered)
	})
}

func TestStoreFailsAtTheUse(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		w.store.fail("UseAsk", true)
		w.approve("a")
		p := w.calls["a"]
		<-p.done
		if !errors.Is(p.err, errDisk) || p.out.Approved() {
			t.Errorf("got %v, approved=%v; want the store's error and a denial", p.err, p.out.Approved())
		}
	})
}

func TestStoreFailsAtTheTimeout(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		w.request("b", call("b"))
		w.store.fail("CompareAndSetAsk", true)
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		w.want("b", ask.Denied, ask.CauseError) // it could not be shown
		w.store.fail("CompareAndSetAsk", false)
		w.request("back", call("a")) // the store still has it waiting, out of time
		w.want("back", ask.TimedOut, ask.CauseTimeout)
	})
}

func TestStoreFailsAtTheStreak(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PauseAfter: 1}, func(w *world) {
		w.store.fail("SaveStreak", true)
		w.request("a", call("a"))
		w.deny("a")
		w.request("b", call("b"))
		w.want("b", ask.Denied, ask.CausePaused)
		if err := w.broker.Resume(w.t.Context(), "s1", "ann"); !errors.Is(err, errDisk) {
			t.Errorf("resume: got %v, want %v", err, errDisk)
		}
	})
}

func TestStoreFailsAtRecovery(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"WaitingAsks", "Streaks"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				w.store.fail(method, true)
				if _, err := w.broker.Recover(w.t.Context()); !errors.Is(err, errDisk) {
					t.Errorf("got %v, want %v", err, errDisk)
				}
			})
		})
	}
}

// TestAnotherProcessAnswered gives the store an end made by another process: that end counts.
func TestAnotherProcessAnswered(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		foreign := w.stored("a")
		foreign.State, foreign.Cause, foreign.EndedAt = ask.Denied, ask.CauseAnswered, time.Now()
		foreign.Answer = &ask.Answer{By: "elsewhere"}
		if ok, err := w.store.CompareAndSetAsk(w.t.Context(), ask.Shown, foreign); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve}); !errors.Is(err, ask.ErrSettled) {
			t.Errorf("got %v, want %v", err, ask.ErrSettled)
		}
		w.want("a", ask.Denied, ask.CauseAnswered)
	})
}

func TestDuplicateIDsAreDrawnAgain(t *testing.T) {
	t.Parallel()
	random := append(bytes.Repeat([]byte{0}, 12), 1, 2, 3, 4, 5, 6)
	inWorld(t, ask.Config{Rand: bytes.NewReader(random)}, func(w *world) {
		w.request("a", call("a"))
		w.request("b", call("b"))
		if a, b := w.id("a"), w.id("b"); a != "000000" || b != "123456" {
			t.Errorf("got ids %q and %q, want 000000 and 123456", a, b)
		}
		if _, err := w.broker.Ask(w.t.Context(), new(call("c"))); err == nil {
			t.Error("no error when randomness ran out")
		}
	})
}

func TestCallerGivesUpWhileTheBrokerIsBusy(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
		w.requestWith(ctx, cancel, "a", call("a"))
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		if got := w.calls["a"].at; got != 20*time.Second {
			t.Errorf("ended at %v, want the context's deadline", got)
		}
		synctest.Wait()
		over, stop := context.WithCancel(w.t.Context())
		stop()
		writes := w.store.writes
		for range 20 { // a select would take the free turn half of the times
			if out, err := w.broker.Ask(over, new(call("b"))); out.Approved() || !errors.Is(err, context.Canceled) || w.store.writes != writes {
				t.Fatalf("a call whose caller had left: %+v (%v)", out, err)
			}
		}
	})
}
