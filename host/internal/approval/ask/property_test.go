package ask_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestProperties plays random lives: calls, answers, interrupts, lost clients,
// failing stores, restarts and time in any order. After each step the broker
// keeps its promises.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		ops := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(rt, "ops")
		args := rapid.SliceOfN(rapid.IntRange(0, 1<<16), len(ops), len(ops)).Draw(rt, "args")
		var broken string
		inWorld(t, ask.Config{PauseAfter: 6}, func(w *world) {
			for i, op := range ops {
				w.play(i, op, args[i])
				if broken = w.broken(); broken != "" {
					broken = fmt.Sprintf("after step %d (op %d): %s", i, op, broken)
					break
				}
			}
			w.store.fail("CompareAndSetAsk", false)
			for _, session := range []string{"s0", "s1", "s2"} {
				must(w.t)(w.broker.Clear(w.t.Context(), session))
			}
			synctest.Wait()
			for name := range w.calls {
				if !w.outcomeNow(name) && broken == "" {
					broken = name + " still waits after its session was cleared"
				}
			}
		})
		if broken != "" {
			rt.Fatal(broken)
		}
	})
}

// play does one random thing.
func (w *world) play(i, op, arg int) {
	waiting := w.broker.Waiting(ask.Filter{})
	switch {
	case op <= 3:
		a := call(fmt.Sprint("c", arg%12))
		a.Session = fmt.Sprint("s", arg%3)
		a.Agent = fmt.Sprint("agent", arg%2)
		w.request(fmt.Sprint("step", i), a)
	case op <= 5 && len(waiting) > 0:
		a := waiting[arg%len(waiting)]
		answer := ask.Answer{Verdict: ask.Verdict(arg % 2), By: "approver"}
		_, _ = w.broker.Answer(w.t.Context(), a.ID, answer) // refusals are part of the game
	case op == 6:
		time.Sleep(time.Duration(arg%90) * time.Second)
	case op == 7:
		must(w.t)(w.broker.Interrupt(w.t.Context(), fmt.Sprint("s", arg%3)))
	case op == 8 && arg%4 == 0:
		w.store.fail("CompareAndSetAsk", false)
		w.restart()
	case op == 8:
		w.store.fail("CompareAndSetAsk", arg%4 == 1)
	case op == 9:
		for name, p := range w.calls {
			if len(name)%2 == arg%2 {
				p.cancel()
			}
		}
	}
	synctest.Wait()
}

// broken names the first broken promise.
func (w *world) broken() string {
	visible, perSession := map[string]int{}, map[string]int{}
	for _, a := range w.broker.Waiting(ask.Filter{}) {
		perSession[a.Session]++
		if a.State == ask.Shown {
			visible[a.Session+"/"+a.Agent]++
		}
		stored, err := w.store.Ask(context.Background(), a.ID)
		if err != nil || stored.State != a.State {
			return fmt.Sprintf("ask %s waits as %s but is stored as %s (%v)", a.ID, a.State, stored.State, err)
		}
	}
	for lane, n := range visible {
		if n > 1 {
			return fmt.Sprintf("%d visible asks in %s", n, lane)
		}
	}
	for session, n := range perSession {
		if n > ask.DefaultPerSession {
			return fmt.Sprintf("%d asks wait in %s", n, session)
		}
	}
	for name, p := range w.calls {
		if !w.outcomeNow(name) || !p.out.Approved() {
			continue
		}
		stored, err := w.store.Ask(context.Background(), p.out.Ask.ID)
		if err != nil || stored.State != ask.Approved || stored.UsedAt.IsZero() || stored.Input != nil {
			return fmt.Sprintf("%s was approved, but the store says %s, used %v (%v)", name, stored.State, stored.UsedAt, err)
		}
	}
	return ""
}
