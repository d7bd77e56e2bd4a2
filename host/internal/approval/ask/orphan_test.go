package ask_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// An orphan is an ask waiting in the store but not in the broker, because the write of its end
// failed.

// orphan leaves one behind under the call id "a".
func (w *world) orphan() {
	w.t.Helper()
	w.request("a", call("a"))
	w.store.fail("CompareAndSetAsk", true)
	w.calls["a"].cancel()
	synctest.Wait()
	w.store.fail("CompareAndSetAsk", false)
	w.want("a", ask.Cancelled, ask.CauseCaller)
	if got := w.stored("a").State; got != ask.Shown {
		w.t.Fatalf("stored state: got %s, want shown", got)
	}
}

func TestOrphanIsAnsweredByID(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.orphan()
		got, err := w.broker.Answer(w.t.Context(), w.stored("a").ID, ask.Answer{By: "marta"})
		if err != nil || got.State != ask.Denied {
			t.Errorf("got %s (%v), want denied", got.State, err)
		}
	})
}

func TestOrphanIsJoinedByItsClient(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.orphan()
		w.request("back", call("a"))
		w.approve("a")
		w.want("back", ask.Approved, ask.CauseAnswered)
	})
}

func TestOrphanQueuesBehindWhatIsVisibleByNow(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.orphan()
		w.request("b", call("b"))
		w.request("back", call("a"))
		if got := w.broker.Position(w.id("a")); got != 1 {
			t.Errorf("position: got %d, want 1", got)
		}
		w.approve("b")
		w.approve("a")
		w.want("back", ask.Approved, ask.CauseAnswered)
	})
}

func TestOrphanFindsNoRoom(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PerSession: 1}, func(w *world) {
		w.orphan()
		w.request("b", call("b"))
		w.request("back", call("a"))
		w.want("back", ask.Denied, ask.CauseFlood)
		w.approve("b")
	})
}

func TestOrphanWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.orphan()
		id := w.stored("a").ID
		w.until(2 * time.Minute)
		if _, err := w.broker.Answer(w.t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "marta"}); !errors.Is(err, ask.ErrSettled) {
			t.Errorf("got %v, want %v", err, ask.ErrSettled)
		}
		if got := w.stored("a").State; got != ask.TimedOut {
			t.Errorf("stored state: got %s, want timed_out", got)
		}
	})
}

func TestGet(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		id := w.id("a")
		for _, want := range []ask.State{ask.Shown, ask.Approved} {
			got, err := w.broker.Get(w.t.Context(), id[:3]+"-"+id[3:])
			if err != nil || got.State != want || (got.Input != nil) != (want == ask.Shown) {
				t.Errorf("got %s with input %s (%v), want %s", got.State, got.Input, err, want)
			}
			if want == ask.Shown {
				w.approve("a")
			}
		}
		if _, err := w.broker.Get(w.t.Context(), "000000"); !errors.Is(err, ask.ErrUnknown) {
			t.Errorf("got %v, want %v", err, ask.ErrUnknown)
		}
	})
}
