package ask_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// drain returns the kinds of the pending events, with their call ids.
func drain(events <-chan ask.Event) []string {
	var got []string
	for {
		select {
		case ev, open := <-events:
			if !open {
				return append(got, "closed")
			}
			got = append(got, string(ev.Kind)+" "+ev.Ask.CallID)
		default:
			return got
		}
	}
}

func TestEventsInOrder(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.t.Context())
		events := w.broker.Subscribe(ctx)
		w.request("a", call("a"))
		w.request("b", call("b"))
		w.approve("a")
		w.outcome("a")
		must(w.t)(w.broker.Interrupt(w.t.Context(), "s1"))
		w.request("c", call("c"))
		w.want("c", ask.TimedOut, ask.CauseTimeout)
		synctest.Wait()
		want := []string{"shown a", "queued b", "answered a", "shown b", "cancelled b", "shown c", "timed_out c"}
		if got := drain(events); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		cancel()
		synctest.Wait()
		if got := drain(events); !slices.Equal(got, []string{"closed"}) {
			t.Errorf("after cancel: got %q, want closed", got)
		}
	})
}

func TestPauseEvents(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PauseAfter: 1}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		w.request("a", call("a"))
		w.deny("a")
		must(w.t)(0, w.broker.Resume(w.t.Context(), "s1", "ann"))
		want := []string{"shown a", "answered a", "paused ", "resumed "}
		if got := drain(events); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestSlowSubscriberLosesEventsAndIsTold(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		slow := w.broker.Subscribe(w.t.Context())
		for range 100 {
			w.request("a", call("a"))
			w.approve("a")
		}
		got := drain(slow)
		if len(got) != 65 || got[64] != "lagged " || slices.Contains(got[:64], "lagged ") {
			t.Fatalf("got %d events ending in %q, want 64 and then lagged", len(got), got[len(got)-1])
		}
		w.request("b", call("b"))
		if got := drain(slow); !slices.Equal(got, []string{"shown b"}) {
			t.Errorf("after the gap: got %q, want shown b", got)
		}
		w.approve("b")
	})
}

func TestCloseEndsSubscriptions(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		w.broker.Close()
		if got := drain(events); !slices.Equal(got, []string{"closed"}) {
			t.Errorf("got %q, want closed", got)
		}
		if got := drain(w.broker.Subscribe(w.t.Context())); !slices.Equal(got, []string{"closed"}) {
			t.Errorf("subscribing afterwards: got %q, want closed", got)
		}
	})
}

func TestSurfaces(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		if w.broker.HasSurface() {
			t.Error("a new broker has a surface")
		}
		one := w.broker.Attach(ask.Surface{Name: "terminal", Approver: "ann"})
		two := w.broker.Attach(ask.Surface{Name: "terminal", Approver: "ann"})
		one()
		one()
		if !w.broker.HasSurface() || len(w.broker.Surfaces()) != 1 {
			t.Error("detaching one terminal twice detached the other")
		}
		two()
		if w.broker.HasSurface() {
			t.Error("a surface is left after both were detached")
		}
	})
}

func TestEventsKeepTheirInput(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		a := call("a")
		want := string(a.Input)
		w.request("a", a)
		w.approve("a")
		clear(a.Input) // the caller uses its buffer again
		if got := string((<-events).Ask.Input); got != want {
			t.Errorf("got input %q, want %q", got, want)
		}
	})
}

// A follower sees the events of its call alone, and its channel ends with its context and with the
// broker.
func TestFollow(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		ctx, cancel := context.WithCancel(w.t.Context())
		left, closed := w.broker.Follow(ctx, new(call("b")).Key()), w.broker.Follow(w.t.Context(), new(call("b")).Key())
		w.request("a", call("a"))
		w.request("b", call("b"))
		w.approve("a")
		w.outcome("a")
		synctest.Wait()
		cancel()
		synctest.Wait()
		w.approve("b")
		w.outcome("b")
		w.broker.Close()
		synctest.Wait()
		if got, want := drain(left), []string{"queued b", "shown b", "closed"}; !slices.Equal(got, want) {
			t.Errorf("until its context ended: got %q, want %q", got, want)
		}
		if got, want := drain(closed), []string{"queued b", "shown b", "answered b", "closed"}; !slices.Equal(got, want) {
			t.Errorf("until the broker closed: got %q, want %q", got, want)
		}
	})
}
