package ask_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{PerSession: 3, PerAgent: 1000}, func(w *world) {
		w.request("a", call("a"))
		want := func(id string, says ...string) {
			t.Helper()
			got := w.broker.Limits(w.id(id))
			if len(got) != len(says) || slices.ContainsFunc(says, func(s string) bool { return !strings.Contains(strings.Join(got, "\n"), s) }) {
				t.Errorf("%s: got %q, want %q", id, got, says)
			}
		}
		want("a")
		w.request("b", call("b"))
		want("a", "2 of at most 3 asks of this session wait")
		w.deny("a")
		want("b")
		w.deny("b")
		w.request("c", call("c"))
		want("c", "refused 2 times in a row; one more")
		w.request("d", call("d"))
		w.deny("c")
		want("d", "the session is paused")
		if got := w.broker.Limits("nosuch"); got != nil {
			t.Errorf("no ask: %q", got)
		}
	})
}

// An ask taken up without its client says so until the client is back, and tells the surfaces.
func TestAway(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.orphan()
		if _, err := w.broker.Recover(w.t.Context()); err != nil {
			t.Fatal(err)
		}
		away := func() bool { return w.broker.Waiting(ask.Filter{})[0].Away }
		if !away() {
			t.Error("no client is here, and the ask does not say so")
		}
		events := w.broker.Subscribe(w.t.Context())
		w.request("back", call("a"))
		if ev := <-events; away() || ev.Kind != ask.EventShown || ev.Ask.Away {
			t.Errorf("the client is back: %t, event %s %t", away(), ev.Kind, ev.Ask.Away)
		}
		w.approve("a")
		w.want("back", ask.Approved, ask.CauseAnswered)
	})
}
