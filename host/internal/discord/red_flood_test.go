package discord_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// Attack T12: an agent makes thousands of calls at once, in as many sessions. At most twenty
// cards stand at any time, calls beyond the limit are denied, none is allowed, and a flood
// leaves no more goroutines and memory than the one before it.
func TestT12_flood(t *testing.T) { // not parallel: it counts goroutines
	calls := 4000
	if raceflag.Enabled {
		calls = 400
	}
	w := newWorld(t, simple)
	w.flood("first", calls)
	before := count(w)
	w.flood("second", calls)
	w.leavesNothing(before)
}

func (w *world) flood(name string, calls int) {
	w.t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	var running sync.WaitGroup
	var denied, allowed atomic.Int64
	for i := range calls {
		running.Go(func() {
			r := request(fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("make %s %d", name, i))
			res, err := w.gate.Check(ctx, authority.Caller{Token: "check:worker", Agent: "worker"}, r, nil)
			switch {
			case res.Decision.Behavior == engine.Allow:
				allowed.Add(1)
			case err == nil && ctx.Err() == nil:
				denied.Add(1)
			}
		})
	}
	w.await("what cannot wait is denied", func() bool { return int(denied.Load())+len(w.broker.Waiting(ask.Filter{})) == calls })
	cards := 0
	for _, m := range w.discord.Messages() {
		if w.openCard(m) {
			cards++
		}
	}
	if shown := len(w.broker.Waiting(ask.Filter{State: ask.Shown})); cards > 20 || shown > 20 {
		w.t.Errorf("%s: %d cards stand, %d asks are shown", name, cards, shown)
	}
	w.t.Logf("%s: of %d calls %d were denied; %d cards stand", name, calls, denied.Load(), cards)
	leave()
	running.Wait()
	if n := allowed.Load(); n > 0 {
		w.t.Errorf("%s: %d calls were allowed", name, n)
	}
	w.await("every card says how its ask ended", func() bool { return w.surface.State().Asks == 0 })
	w.discord.ForgetHistory()
	w.log.forget()
}
