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
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/people"
)

// TestT27_withdraw: an ask whose card was changed ends at once, whatever approvals it
// has; what waits behind it is shown, nothing of it is told as denied by a person, and a
// client that comes back is not let through.
func TestT27_withdraw(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PauseAfter: 1}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		two := call("a")
		two.Approvers = people.Policy{{Quorum: 2}}
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
		if got := w.outcome("a").Message; !strings.Contains(got, "was changed by somebody") {
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
		w.approve("b") // the session is not paused: nobody refused anything
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

// TestT27_withdrawOrApprove: an approval and the alarm at once: one of both counts, and
// the call gets what the other one is told.
func TestT27_withdrawOrApprove(t *testing.T) {
	t.Parallel()
	b := ask.New(ask.Config{Store: newMemStore(), PerSession: 1000, PerAgent: 1000})
	defer b.Close()
	for i := range 200 {
		events := b.Subscribe(t.Context())
		out := make(chan ask.Outcome, 1)
		go func() {
			o, err := b.Ask(t.Context(), call(fmt.Sprint("c", i)))
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

// TestUndelivered: an ask that Discord could not show waits for the other surfaces, says
// so meanwhile and at its end, and no longer when Discord could show it after all.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	attach := func(w *world) {
		w.broker.Attach(ask.Surface{Name: "api"})
		w.broker.Attach(ask.Surface{Name: "discord"})
	}
	fail := func(w *world, name, surface string) {
		w.t.Helper()
		must(w.t)(0, w.broker.Undelivered(w.t.Context(), w.id(name), surface))
	}
	t.Run("until its end", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			attach(w)
			w.request("a", call("a"))
			fail(w, "a", "discord")
			fail(w, "a", "discord")
			if got := w.broker.Waiting(ask.Filter{})[0].Undelivered; !slices.Equal(got, []string{"discord"}) {
				t.Errorf("got %v", got)
			}
			w.want("a", ask.TimedOut, ask.CauseTimeout)
			want := "The Bash call was not run: nobody answered in time, and Discord could not be reached to show the question. Continue without it, or ask the user before you try again."
			if out := w.outcome("a"); out.Message != want || w.calls["a"].at != time.Minute {
				t.Errorf("at %v: got %q", w.calls["a"].at, out.Message)
			}
			if got := w.stored("a").Undelivered; !slices.Equal(got, []string{"discord"}) {
				t.Errorf("stored: got %v", got)
			}
		})
	})
	t.Run("for a while", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			attach(w)
			w.request("a", call("a"))
			fail(w, "a", "discord")
			must(w.t)(0, w.broker.Delivered(w.t.Context(), w.id("a"), "discord"))
			must(w.t)(0, w.broker.Delivered(w.t.Context(), "zzzzzz", "discord"))
			w.want("a", ask.TimedOut, ask.CauseTimeout)
			if out := w.outcome("a"); strings.Contains(out.Message, "Discord") || out.Ask.Undelivered != nil {
				t.Errorf("got %q, %v", out.Message, out.Ask.Undelivered)
			}
		})
	})
	t.Run("answered elsewhere", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			attach(w)
			w.request("a", call("a"))
			fail(w, "a", "discord")
			w.until(59 * time.Second)
			w.approve("a")
			w.want("a", ask.Approved, ask.CauseAnswered)
		})
	})
	t.Run("nowhere", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			attach(w)
			w.request("a", call("a"))
			fail(w, "a", "discord")
			fail(w, "a", "api")
			w.want("a", ask.Denied, ask.CauseNoSurface)
		})
	})
	t.Run("a restart tries again", func(t *testing.T) {
		t.Parallel()
		inWorld(t, ask.Config{}, func(w *world) {
			attach(w)
			w.request("a", call("a"))
			fail(w, "a", "discord")
			if _, err := w.answer("a", ask.Answer{Verdict: ask.Deny, By: "\x00"}); err == nil {
				t.Error("an answer of nobody counts")
			}
			w.restart()
			if got := w.broker.Waiting(ask.Filter{})[0].Undelivered; got != nil {
				t.Errorf("got %v", got)
			}
		})
	})
}

// TestTurnAway: a surface that refuses somebody itself is told who was told before, and
// the ask waits on.
func TestTurnAway(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		mine := call("a")
		mine.Approvers = people.Policy{{Users: []string{"bob"}}}
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

// TestEveryEndIsTold: whoever shows cards hears of each end with the ask's id.
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
		ask.CauseSettled: func(w *world) {
			if _, err := w.broker.Settle(w.t.Context(), w.id("a"), ask.Answer{Verdict: ask.Approve, By: "bob"}); err != nil {
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

// FuzzOrigin: whatever a chat calls its people and things, the audit's line is one line
// of printable text, and bounded.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"", "ann", "a\u202eb", "a\nb", "\xff\xfe", strings.Repeat("ä", 500), "\x1b[31mred", "a\x00b", "\u200b"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, id string) {
		a := ask.Answer{Roles: []string{name}, Origin: &ask.Origin{Account: id, AccountName: name, Via: id, Server: id, Channel: id, Message: id, Interaction: id, Shown: id}}
		got := a.Evidence()
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) && r != utf8.RuneError }) {
			t.Errorf("got %q", got)
		}
		a.Roles = nil
		if got := a.Evidence(); len(got) > 3000 {
			t.Errorf("got %d bytes", len(got))
		}
	})
}

// TestOrigin_isKept: where an answer came from is kept with it, cleaned, and an answer
// from no chat has none.
func TestOrigin_isKept(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		o := &ask.Origin{Account: "1", AccountName: "b\u202eb" + strings.Repeat("ä", 300), Via: "reaction"}
		if _, err := w.answer("a", ask.Answer{By: "bob", Origin: o}); err != nil {
			t.Fatal(err)
		}
		got := w.stored("a").Answer.Origin
		if got == nil || got == o || got.Account != "1" || !strings.HasPrefix(got.AccountName, "b\uFFFDbä") || len(got.AccountName) > 200 || !utf8.ValidString(got.AccountName) {
			t.Errorf("got %+v", got)
		}
		if (ask.Answer{By: "bob"}).Evidence() != "" {
			t.Error("an answer of no chat has evidence of one")
		}
	})
}
