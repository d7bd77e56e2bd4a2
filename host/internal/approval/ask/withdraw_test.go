package ask_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestT27_withdraw: an ask with a changed card ends at once, despite any approvals; the next
// one is shown, nothing counts as a person's denial, and a returning client is not let through.
func TestT27_withdraw(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PauseAfter: 1}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		two := call("a")
		two.Approvers = approvers.Policy{{Quorum: 2}}
		w.request("a", two)
		w.request("b", call("b"))
		id := w.id("a")
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve, By: "ann2"}); err != nil {
			t.Fatal(err)
		}
		for _, cause := range []ask.Cause{"", ask.CauseAnswered, ask.CauseClear, "other"} {
			if _, err := w.broker.Withdraw(w.t.Context(), id, cause); err == nil || errors.Is(err, ask.ErrSettled) {
				t.Errorf("for %q: got %v, want it refused", cause, err)
			}
		}
		ended, err := w.broker.Withdraw(w.t.Context(), strings.ToUpper(id), ask.CauseCardChanged)
		if err != nil || ended.State != ask.Cancelled || ended.Input != nil {
			t.Errorf("got %s, %v", ended.State, err)
		}
		w.want("a", ask.Cancelled, ask.CauseCardChanged)
		if got := w.outcome("a").Message; !strings.Contains(got, "someone changed its approval card") {
			t.Errorf("the model reads %q", got)
		}
		var settled *ask.SettledError
		if _, err := w.broker.Withdraw(w.t.Context(), id, ask.CauseCardChanged); !errors.As(err, &settled) || settled.Ask.ID != id {
			t.Errorf("again: got %v", err)
		}
		if _, err := w.broker.Answer(w.t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "bob"}); !errors.Is(err, ask.ErrSettled) {
			t.Errorf("the second vote: got %v", err)
		}
		if _, err := w.broker.Withdraw(w.t.Context(), "zzzzzz", ask.CauseCardChanged); !errors.Is(err, ask.ErrUnknown) {
			t.Errorf("unknown: got %v", err)
		}
		w.request("again", two)
		w.want("again", ask.Cancelled, ask.CauseCardChanged)
		w.approve("b") // the session is not paused: there was no refusal
		w.outcome("b")
		want := []string{"shown a", "queued b", "voted a", "cancelled a", "shown b", "answered b"}
		if got := drain(events); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestT27_withdrawWithoutTheStore: the alarm denies also when it cannot be written.
func TestT27_withdrawWithoutTheStore(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		w.store.fail("CompareAndSetAsk", true)
		if ended, err := w.broker.Withdraw(w.t.Context(), w.id("a"), ask.CauseCardChanged); err != nil || ended.State != ask.Cancelled {
			t.Errorf("got %s, %v", ended.State, err)
		}
		w.want("a", ask.Cancelled, ask.CauseCardChanged)
	})
}

// TestT27_withdrawOrApprove: an approval and the alarm at once: one of both counts, and the
// call gets the same result as the other's caller.
func TestT27_withdrawOrApprove(t *testing.T) {
	t.Parallel()
	b := ask.New(ask.Config{Store: newMemStore(), PerSession: 1000, PerAgent: 1000})
	defer b.Close()
	for i := range 200 {
		events := b.Subscribe(t.Context())
		out := make(chan ask.Outcome, 1)
		go func() {
			o, err := b.Ask(t.Context(), new(call(fmt.Sprint("c", i))))
			if err != nil {
				t.Error(err)
			}
			out <- o
		}()
		id := (<-events).Ask.ID
		var approved, withdrawn error
		var all sync.WaitGroup
		all.Go(func() { _, approved = b.Answer(t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "bob"}) })
		all.Go(func() { _, withdrawn = b.Withdraw(t.Context(), id, ask.CauseCardChanged) })
		all.Go(func() { _ = b.Delivered(t.Context(), id, "discord") })
		all.Wait()
		if o := <-out; o.Approved() != (approved == nil) || (approved == nil) == (withdrawn == nil) {
			t.Fatalf("approved %v (%v), withdrawn (%v)", o.Approved(), approved, withdrawn)
		}
	}
}

// TestTurnAway: a surface refusing a person itself learns whether they were refused before, and
// the ask waits on.
func TestTurnAway(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		mine := call("a")
		mine.Approvers = approvers.Policy{{Users: []string{"bob"}}}
		w.request("a", mine)
		id := w.id("a")
		turned := func(who string, again bool) {
			t.Helper()
			var not *ask.NotApproverError
			a, err := w.broker.TurnAway(w.t.Context(), id, who, "who is not listed")
			if !errors.As(err, &not) || not.Again != again || not.Reason != "who is not listed" || a.ID != id {
				t.Errorf("%s: got %v", who, err)
			}
		}
		turned("eve", false)
		turned("eve", true)
		var not *ask.NotApproverError
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve, By: "eve"}); !errors.As(err, &not) || !not.Again {
			t.Errorf("the broker's own refusal: got %v, want it known", err)
		}
		for i := range 200 {
			_, _ = w.broker.TurnAway(w.t.Context(), id, fmt.Sprint("x", i), "why") // a crowd
		}
		turned("y", true)
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve, By: "bob"}); err != nil {
			t.Error(err)
		}
		if _, err := w.broker.TurnAway(w.t.Context(), id, "eve", "why"); !errors.Is(err, ask.ErrSettled) {
			t.Errorf("ended: got %v", err)
		}
		if _, err := w.broker.TurnAway(w.t.Context(), "zzzzzz", "eve", "why"); !errors.Is(err, ask.ErrUnknown) {
			t.Errorf("unknown: got %v", err)
		}
	})
}

// TestEveryEndIsTold: every surface hears of each end with the ask's id.
func TestEveryEndIsTold(t *testing.T) {
	t.Parallel()
	ends := map[ask.Cause]func(w *world){
		ask.CauseAnswered:    func(w *world) { w.deny("a") },
		ask.CauseTimeout:     func(w *world) { w.until(time.Minute) },
		ask.CauseInterrupt:   func(w *world) { must(w.t)(w.broker.Interrupt(w.t.Context(), "s1")) },
		ask.CauseForkExit:    func(w *world) { must(w.t)(w.broker.ExitFork(w.t.Context(), "s1")) },
		ask.CauseClear:       func(w *world) { must(w.t)(w.broker.Clear(w.t.Context(), "s1")) },
		ask.CauseCaller:      func(w *world) { w.calls["a"].cancel() },
		ask.CauseStopped:     func(w *world) { must(w.t)(0, w.broker.Pause(w.t.Context(), "s1", "why")) },
		ask.CauseNoSurface:   func(w *world) { must(w.t)(0, w.broker.Undelivered(w.t.Context(), w.id("a"), "discord")) },
		ask.CauseCardChanged: func(w *world) { _, _ = w.broker.Withdraw(w.t.Context(), w.id("a"), ask.CauseCardChanged) },
		ask.CauseCovered: func(w *world) {
			if _, err := w.broker.ResolveCovered(w.t.Context(), w.id("a"), ask.Answer{Verdict: ask.Approve, By: "bob"}); err != nil {
				w.t.Error(err)
			}
		},
	}
	for cause, end := range ends {
		t.Run(string(cause), func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				events := w.broker.Subscribe(w.t.Context())
				w.broker.Attach(ask.Surface{Name: "discord"})
				a := call("a")
				if cause == ask.CauseForkExit {
					a.Kind = "interactive_fork"
				}
				w.request("a", a)
				id := w.id("a")
				end(w)
				synctest.Wait()
				<-events // shown
				if ev := <-events; ev.Ask.ID != id || ev.Ask.Cause != cause || ev.Ask.State.Waiting() || ev.Ask.Input != nil {
					t.Errorf("got %s of %s: %s, %s", ev.Kind, ev.Ask.ID, ev.Ask.State, ev.Ask.Cause)
				}
			})
		})
	}
}
