package ask_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestT08_stop: waiting and new asks of a stopped session are denied, also after a restart and
// when the store fails, until a person resumes it.
func TestT08_stop(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		if err := w.broker.Pause(w.t.Context(), "s1", ""); err == nil {
			t.Error("stopped without a reason")
		}
		must(w.t)(0, w.broker.Pause(w.t.Context(), "s1", "the first reason"))
		w.want("a", ask.Denied, ask.CauseStopped)
		must(w.t)(0, w.broker.Pause(w.t.Context(), "s1", "another reason"))
		w.until(time.Hour)
		w.restart()
		if got := w.broker.Stopped("s1"); got != "the first reason" {
			t.Errorf("after a restart: got %q, want the first reason", got)
		}
		w.request("b", call("b"))
		w.want("b", ask.Denied, ask.CauseStopped)
		if got := w.broker.Stopped("s2"); got != "" {
			t.Errorf("another session: got %q", got)
		}
		must(w.t)(0, w.broker.Resume(w.t.Context(), "s1", "ann"))
		if got := w.broker.Stopped("s1"); got != "" {
			t.Errorf("resumed: got %q", got)
		}
		w.request("c", call("c"))
		w.approve("c")
		w.want("c", ask.Approved, ask.CauseAnswered)
	})
	inWorld(t, ask.Config{}, func(w *world) {
		w.store.fail("SaveStreak", true)
		if err := w.broker.Pause(w.t.Context(), "s1", "why"); err == nil {
			t.Error("a store that fails: got no error")
		}
		if got := w.broker.Stopped("s1"); got != "why" {
			t.Errorf("a store that fails: got %q, want it stopped all the same", got)
		}
	})
}
