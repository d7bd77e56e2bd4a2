package ask_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// daemons is a broker of the daemon "here" that knows the ask "a" of the daemon "there".
func daemons(t *testing.T, f func(w *world, there *ask.Broker)) {
	t.Helper()
	running := map[string]bool{"here": true, "there": true}
	alive := func(context.Context) (map[string]bool, error) { return running, nil }
	inWorld(t, ask.Config{Node: "here", Alive: alive}, func(w *world) {
		there := ask.New(ask.Config{Node: "there", Alive: alive, Store: w.store})
		defer there.Close()
		ctx, cancel := context.WithCancel(w.t.Context())
		defer cancel()
		go func() { _, _ = there.Ask(ctx, new(call("a"))) }() // it ends with its daemon
		synctest.Wait()
		w.refresh(w.broker)
		f(w, there)
		there.Close()
		synctest.Wait()
	})
}

// refresh makes a broker hear of the ask "a".
func (w *world) refresh(b *ask.Broker) {
	w.t.Helper()
	if err := b.Refresh(w.t.Context(), w.stored("a").ID); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

// meet makes a broker hear which daemons run, and returns what it then says of the ask "a".
func (w *world) meet(b *ask.Broker, running ...string) ask.Ask {
	w.t.Helper()
	alive := map[string]bool{}
	for _, id := range running {
		alive[id] = true
	}
	if err := b.Meet(w.t.Context(), alive); err != nil {
		w.t.Fatal(err)
	}
	a, err := b.Get(w.t.Context(), w.stored("a").ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// While the daemon of a call is gone its ask has no client, and the surfaces hear of it once. An
// answer then counts once, when the client asks again.
func TestMeet_deadDaemon(t *testing.T) {
	t.Parallel()
	daemons(t, func(w *world, _ *ask.Broker) {
		ctx, cancel := context.WithCancel(w.t.Context())
		defer cancel()
		events := w.broker.Subscribe(ctx)
		if a := w.meet(w.broker, "here", "there"); a.Away || len(events) != 0 {
			t.Errorf("both run: away %v, %d events", a.Away, len(events))
		}
		for range 2 {
			if a := w.meet(w.broker, "here"); !a.Away || len(events) != 1 {
				t.Errorf("the other is gone: away %v, %d events, want one", a.Away, len(events))
			}
		}
		if ev := <-events; ev.Kind != ask.EventShown || !ev.Ask.Away {
			t.Errorf("got event %s, away %v", ev.Kind, ev.Ask.Away)
		}
		if a := w.meet(w.broker, "here", "there"); a.Away {
			t.Error("the other is back, as after a cut network: away")
		}
		w.meet(w.broker, "here")
		got, err := w.answer("a", ask.Answer{Verdict: ask.Approve})
		if err != nil || !got.Away {
			t.Errorf("answered: away %v, %v", got.Away, err)
		}
		w.request("back", call("a"))
		w.want("back", ask.Approved, ask.CauseAnswered)
		w.request("again", call("a"))
		if w.id("a") == "" {
			t.Error("the approval counted twice")
		}
	})
}

// The client comes back to this daemon, before or after the other one counts as gone: the ask is this
// daemon's then, and every other one hears it.
func TestMeet_takesUp(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"after": true, "before": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			daemons(t, func(w *world, _ *ask.Broker) {
				third := ask.New(ask.Config{Node: "third", Alive: w.cfg.Alive, Store: w.store})
				defer third.Close()
				w.refresh(third)
				if late {
					w.meet(w.broker, "here", "third")
				}
				if a := w.meet(third, "here", "third"); !a.Away {
					t.Error("the third daemon does not know that the client is gone")
				}
				w.request("back", call("a"))
				if a := w.meet(w.broker, "here", "third"); a.Away || w.stored("a").Node != "here" {
					t.Errorf("away %v, daemon %s, want this one's", a.Away, w.stored("a").Node)
				}
				w.refresh(third)
				if a := w.meet(third, "here", "third"); a.Away {
					t.Error("the third daemon does not know that the client is back")
				}
				w.approve("a")
				w.want("back", ask.Approved, ask.CauseAnswered)
			})
		})
	}
}
