package ask_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestSecondCheckJoins(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("one", call("a"))
		w.request("two", call("a"))
		if got := len(w.broker.Waiting(ask.Filter{})); got != 1 {
			t.Fatalf("got %d asks, want 1", got)
		}
		w.calls["one"].cancel()
		synctest.Wait()
		w.want("one", ask.Denied, ask.CauseCaller)
		w.approve("a")
		w.want("two", ask.Approved, ask.CauseAnswered)
	})
}

// TestReplay is threat T10.
func TestReplay(t *testing.T) {
	t.Parallel()
	other := func() ask.Ask {
		a := call("rm -rf /")
		a.CallID = "a"
		return a
	}
	t.Run("same id with other input while it waits", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.request("x", other())
			w.want("x", ask.Denied, ask.CauseReused)
			w.approve("a")
			w.want("a", ask.Approved, ask.CauseAnswered)
		})
	})
	t.Run("same id with other input after an approval", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.approve("a")
			w.until(time.Hour)
			w.request("x", other())
			w.want("x", ask.Denied, ask.CauseReused)
		})
	})
	t.Run("an approval is used once", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.approve("a")
			w.request("again", call("a"))
			if w.id("a") == "" {
				t.Error("the second use of an approval was not asked about")
			}
			w.deny("a")
			w.want("again", ask.Denied, ask.CauseAnswered)
		})
	})
	t.Run("another token's call of the same id", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.calls["a"].cancel()
			foreign := call("a")
			foreign.Token = "other"
			w.request("foreign", foreign)
			if got := w.outcomeNow("foreign"); got {
				t.Error("a foreign token was answered by this one's ask")
			}
		})
	})
	t.Run("a twin of an approved call", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.approve("a")
			twin := call("a")
			twin.CallID = "twin"
			w.request("twin", twin)
			if w.outcomeNow("twin") {
				t.Error("a twin got its brother's approval")
			}
		})
	})
}

// outcomeNow reports whether the call is decided already.
func (w *world) outcomeNow(name string) bool {
	select {
	case <-w.calls[name].done:
		return true
	default:
		return false
	}
}

func TestRestart(t *testing.T) {
	t.Parallel()
	t.Run("answered while the client is away", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			if n := w.restart(); n != 1 {
				t.Fatalf("recovered %d asks, want 1", n)
			}
			if err := w.calls["a"].err; !errors.Is(err, ask.ErrClosed) {
				t.Errorf("waiter of the old process: got %v, want %v", err, ask.ErrClosed)
			}
			w.approve("a")
			w.until(5 * time.Minute)
			w.request("back", call("a"))
			w.want("back", ask.Approved, ask.CauseAnswered)
			if w.stored("a").UsedAt.IsZero() {
				t.Error("the approval is not marked as used")
			}
			w.request("third", call("a"))
			if w.outcomeNow("third") {
				t.Error("the approval was used twice")
			}
		})
	})
	t.Run("approval is void after ten minutes", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.restart()
			w.approve("a")
			w.until(10 * time.Minute)
			w.request("back", call("a"))
			if w.outcomeNow("back") {
				t.Error("an old approval was used")
			}
		})
	})
	t.Run("denied while the client is away", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.restart()
			w.deny("a")
			w.request("back", call("a"))
			w.want("back", ask.Denied, ask.CauseAnswered)
		})
	})
	t.Run("client comes back first", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.restart()
			w.request("back", call("a"))
			w.approve("a")
			w.want("back", ask.Approved, ask.CauseAnswered)
		})
	})
	t.Run("what is left of the clock", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.until(20 * time.Second)
			w.restart()
			if got := w.broker.Waiting(ask.Filter{})[0].Deadline.Sub(w.start); got != 60*time.Second {
				t.Errorf("deadline: got %v, want 60s", got)
			}
			w.until(55 * time.Second)
			w.restart()
			if got := w.broker.Waiting(ask.Filter{})[0].Deadline.Sub(w.start); got != 70*time.Second {
				t.Errorf("deadline with grace: got %v, want 70s", got)
			}
			w.until(70 * time.Second)
			if got := w.stored("a").State; got != ask.TimedOut {
				t.Errorf("state: got %s, want timed_out", got)
			}
		})
	})
	t.Run("expired while nobody ran", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			w.request("a", call("a"))
			w.request("b", call("b"))
			w.broker.Close()
			w.until(2 * time.Minute)
			if n := w.restart(); n != 1 {
				t.Errorf("recovered %d asks, want the queued one", n)
			}
			if got := w.stored("a").State; got != ask.TimedOut {
				t.Errorf("a: got %s, want timed_out", got)
			}
			if got := w.stored("b").State; got != ask.Shown {
				t.Errorf("b: got %s, want shown", got)
			}
		})
	})
}

func TestInputIsErasedAtEveryEnd(t *testing.T) {
	t.Parallel()
	ends := map[string]func(w *world){
		"approved":    func(w *world) { w.approve("a") },
		"denied":      func(w *world) { w.deny("a") },
		"timed out":   func(w *world) { w.until(time.Minute) },
		"cancelled":   func(w *world) { must(w.t)(w.broker.Clear(w.t.Context(), "s1")) },
		"client left": func(w *world) { w.calls["a"].cancel(); synctest.Wait() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				ctx, cancel := context.WithCancel(w.t.Context())
				w.requestWith(ctx, cancel, "a", call("a"))
				if got := w.stored("a").Input; got == nil {
					t.Fatal("the store lacks the input while the ask waits")
				}
				end(w)
				if got := w.stored("a"); got.Input != nil || got.State.Waiting() {
					t.Errorf("got input %s in state %s, want none in an end", got.Input, got.State)
				}
			})
		})
	}
}
