package ask_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/ask"
)

// TestHammer has 200 calls ask at once while three surfaces answer everything
// they are shown, each its own way. Every call must end as the one answer that
// the store took, and every ask must have had exactly one winner.
func TestHammer(t *testing.T) {
	t.Parallel()
	const calls = 200
	store := newMemStore()
	b := ask.New(ask.Config{Store: store, PerAgent: calls, PauseAfter: 10 * calls})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	var wins sync.Map // ask id -> *atomic.Int32
	var surfaces sync.WaitGroup
	for s := range 3 {
		events := b.Subscribe(ctx)
		surfaces.Go(func() { answerEverything(ctx, t, b, events, s, &wins) })
	}
	outcomes := make([]ask.Outcome, calls)
	var clients sync.WaitGroup
	for i := range calls {
		clients.Go(func() {
			a := call(fmt.Sprint("c", i))
			a.Session = fmt.Sprint("s", i%50)
			out, err := b.Ask(ctx, a)
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			}
			outcomes[i] = out
		})
	}
	clients.Wait()
	b.Close()
	surfaces.Wait()

	for i, out := range outcomes {
		stored, err := store.Ask(t.Context(), out.Ask.ID)
		if err != nil {
			t.Fatalf("call %d: ask %q: %v", i, out.Ask.ID, err)
		}
		if stored.State != out.Ask.State || stored.Answer.By != out.Ask.Answer.By {
			t.Errorf("call %d: told %s by %s, stored %s by %s", i, out.Ask.State, out.Ask.Answer.By, stored.State, stored.Answer.By)
		}
		if out.Approved() != (stored.Answer.Verdict == ask.Approve) {
			t.Errorf("call %d: approved=%v, answer %s", i, out.Approved(), stored.Answer.Verdict)
		}
		won, ok := wins.Load(out.Ask.ID)
		if !ok || won.(*atomic.Int32).Load() != 1 {
			t.Errorf("call %d: ask %s was won %v times, want once", i, out.Ask.ID, won)
		}
	}
}

// answerEverything answers what waits whenever anything happens.
func answerEverything(ctx context.Context, t *testing.T, b *ask.Broker, events <-chan ask.Event, n int, wins *sync.Map) {
	by := fmt.Sprint("surface", n)
	detach := b.Attach(ask.Surface{Name: by})
	defer detach()
	for range events {
		for _, a := range b.Waiting(ask.Filter{State: ask.Shown}) {
			b.MarkSeen(a.ID, by)
			verdict := ask.Verdict((int(a.ID[0]) + n) % 2)
			_, err := b.Answer(ctx, a.ID, ask.Answer{Verdict: verdict, By: by})
			switch {
			case err == nil:
				won, _ := wins.LoadOrStore(a.ID, new(atomic.Int32))
				won.(*atomic.Int32).Add(1)
			case !errors.Is(err, ask.ErrSettled) && !errors.Is(err, ask.ErrClosed):
				t.Errorf("%s answers %s: %v", by, a.ID, err)
			}
		}
	}
}
