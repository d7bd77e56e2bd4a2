package ask_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// TestHammer has many calls ask at once while three surfaces answer all cards, each its own
// way. Every call must end with the one answer in the store, and every ask must have had
// exactly one winner.
func TestHammer(t *testing.T) {
	t.Parallel()
	t.Run("in memory", func(t *testing.T) {
		t.Parallel()
		hammer(t, newMemStore(), 200)
	})
	t.Run("in SQLite", func(t *testing.T) {
		t.Parallel()
		hammer(t, openStore(t, filepath.Join(t.TempDir(), "asks.db")), 60) // each ask is three durable writes
	})
}

func openStore(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func hammer(t *testing.T, kept ask.Store, calls int) {
	b := ask.New(ask.Config{Store: kept, PerAgent: calls, PauseAfter: 10 * calls})
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
			out, err := b.Ask(ctx, &a)
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
		stored, err := kept.Ask(t.Context(), out.Ask.ID)
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

// answerEverything answers every card when it is shown, and all waiting ones after events were
// missed.
func answerEverything(ctx context.Context, t *testing.T, b *ask.Broker, events <-chan ask.Event, n int, wins *sync.Map) {
	by := fmt.Sprint("surface", n)
	detach := b.Attach(ask.Surface{Name: by})
	defer detach()
	for ev := range events {
		var cards []ask.Ask
		switch ev.Kind {
		case ask.EventShown:
			cards = []ask.Ask{ev.Ask}
		case ask.EventLagged:
			cards = b.Waiting(ask.Filter{State: ask.Shown})
		}
		for _, a := range cards {
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

// TestRestartOnSQLite is the life of an ask over two processes: asked in the
// first, answered and taken up by its client in the second.
func TestRestartOnSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "asks.db")
	first, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := ask.New(ask.Config{Store: first})
	events := b.Subscribe(t.Context())
	left := make(chan error)
	go func() {
		_, err := b.Ask(context.Background(), new(call("a")))
		left <- err
	}()
	id := (<-events).Ask.ID
	b.Close()
	if err := <-left; !errors.Is(err, ask.ErrClosed) {
		t.Errorf("the client of the first process: got %v, want %v", err, ask.ErrClosed)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	b = ask.New(ask.Config{Store: openStore(t, path)})
	defer b.Close()
	if n, err := b.Recover(t.Context()); n != 1 || err != nil {
		t.Fatalf("recovered %d (%v), want 1", n, err)
	}
	if got := b.Waiting(ask.Filter{})[0]; got.ID != id || string(got.Input) != string(call("a").Input) {
		t.Errorf("recovered %s with input %s, want %s", got.ID, got.Input, id)
	}
	answer := ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ForSession: true, By: "marta"}
	if _, err := b.Answer(t.Context(), id, answer); err != nil {
		t.Fatal(err)
	}
	out, err := b.Ask(t.Context(), new(call("a")))
	if err != nil || !out.Approved() || out.Ask.ID != id || out.Ask.Answer.Sets[0] != 1 {
		t.Fatalf("the client that came back: %+v (%v), want the stored approval", out, err)
	}
	over, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if again, err := b.Ask(over, new(call("a"))); err != nil || again.Approved() || again.Cause != ask.CauseTimeout {
		t.Errorf("the second use: %s (%v), want a new ask that times out", again.Cause, err)
	}
}
