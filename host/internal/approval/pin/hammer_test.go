package pin_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/store"
)

// mortal is a store taking one change and then gone with its daemon.
type mortal struct {
	*memory
	saved bool
}

var errDead = errors.New("killed")

func (m *mortal) ReplaceSetting(ctx context.Context, name string, was, value []byte, row store.Row) error {
	if m.saved {
		return errDead
	}
	m.saved = true
	return m.memory.ReplaceSetting(ctx, name, was, value, row)
}

func keeperOver(s pin.Store) *pin.Keeper {
	return pin.New(pin.Cheap(pin.Config{Store: s}))
}

// TestT06_ParallelGuesses is 200 guesses at once, the right one among them too late to count, over a
// real store: by one daemon, and by several that share the store.
func TestT06_ParallelGuesses(t *testing.T) {
	t.Parallel()
	for _, daemons := range []int{1, 3} {
		t.Run(fmt.Sprint(daemons), func(t *testing.T) {
			t.Parallel()
			guess(t, daemons)
		})
	}
}

func guess(t *testing.T, daemons int) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "callgate.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var keepers []*pin.Keeper
	for range daemons {
		keepers = append(keepers, keeperOver(s))
	}
	if err := keepers[0].Set(t.Context(), "", rightPIN, here); err != nil {
		t.Fatal(err)
	}
	keepers[0].Lock(here)
	var tried, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 200 {
		w, k := []pin.Who{here, there, far}[i%3], keepers[i%daemons]
		wg.Go(func() {
			switch _, err := k.Unlock(t.Context(), wrong, w); {
			case errors.Is(err, pin.ErrWrong):
				tried.Add(1)
			case errors.Is(err, pin.ErrLockedOut):
				refused.Add(1)
			default:
				t.Errorf("got %v, want a refusal", err)
			}
			_ = k.Require(t.Context(), w) // for the race detector
			k.Lock(w)
		})
	}
	wg.Wait()
	if tried.Load() != 5 || refused.Load() != 195 {
		t.Errorf("got %d tried and %d refused, want 5 and 195", tried.Load(), refused.Load())
	}
	unlock(t, keepers[0], rightPIN, here, pin.ErrLockedOut)
	rows := 0
	for _, err := range s.Audit(t.Context(), store.Filter{Event: store.EventPINTried}) {
		if err != nil {
			t.Fatal(err)
		}
		rows++
	}
	if rows != 5 {
		t.Errorf("audited tries: got %d, want 5", rows)
	}
}

func TestAWaiterThatLeavesDoesNotTry(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, _ = k.Unlock(ctx, wrong, here) // it may have its turn, or leave
	}
	if n := m.count(store.EventPINTried); n > 5 {
		t.Errorf("got %d tries, want at most 5", n)
	}
}
