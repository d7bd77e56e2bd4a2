package ask_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestUndelivered: an ask Discord could not show waits for the other surfaces, says so
// meanwhile and at its end, and no longer when Discord could show it after all.
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
			want := "The Bash call was not run: no one answered in time, and Discord could not be reached to show the question. Continue without it, or ask the user before you try again."
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
			two := call("a")
			two.Approvers = approvers.Policy{{Quorum: 2}}
			w.request("a", two)
			fail(w, "a", "discord")
			w.approve("a") // the first of two; it stores the ask as it is
			if got := w.stored("a").Undelivered; !slices.Equal(got, []string{"discord"}) {
				t.Errorf("stored: got %v", got)
			}
			w.restart()
			if got := w.broker.Waiting(ask.Filter{})[0].Undelivered; got != nil {
				t.Errorf("got %v", got)
			}
		})
	})
}
