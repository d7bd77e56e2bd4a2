package ask_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestHeldForTenMinutes: a person takes their time; the call runs, whether the
// daemon was restarted meanwhile or not.
func TestHeldForTenMinutes(t *testing.T) {
	t.Parallel()
	const patience = 48 * time.Minute // four fifths of a hook's hour
	for name, restartAt := range map[string]time.Duration{"in one go": 0, "after a restart": 4 * time.Minute, "answered while the daemon's client was away": 9 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{Timeout: time.Hour}, func(w *world) {
				held := call("a")
				held.CallerDeadline = w.start.Add(patience)
				w.request("a", held)
				back := "a"
				if restartAt > 0 {
					w.until(restartAt)
					if n := w.restart(); n != 1 {
						t.Fatalf("recovered %d asks, want 1", n)
					}
					back = "back"
				}
				away := restartAt > 5*time.Minute
				if restartAt > 0 && !away {
					w.request(back, held)
				}
				w.until(10 * time.Minute)
				w.approve("a")
				if away {
					w.until(11 * time.Minute)
					w.request(back, held)
				}
				w.want(back, ask.Approved, ask.CauseAnswered)
			})
		})
	}
}

// TestHeldNoLongerThanItsCaller: the ask ends when its hook stops waiting, so an already denied
// call is never approved.
func TestHeldNoLongerThanItsCaller(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{Timeout: time.Hour}, func(w *world) {
		held := call("a")
		held.CallerDeadline = w.start.Add(48 * time.Minute)
		w.request("a", held)
		w.until(48*time.Minute + time.Second)
		w.want("a", ask.TimedOut, ask.CauseTimeout)
		if at := w.calls["a"].at; at != 48*time.Minute {
			t.Errorf("ended after %s, want 48 minutes", at)
		}
	})
}
