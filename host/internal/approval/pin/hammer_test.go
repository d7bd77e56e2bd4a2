package pin_test

import (
	"context"
	"errors"
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

func (m *mortal) SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error {
	if m.saved {
		return errDead
	}
	m.saved = true
	return m.memory.SaveSetting(ctx, name, value, row)
}

func keeperOver(s pin.Store) *pin.Keeper {
	return pin.New(pin.Cheap(pin.Config{Store: s}))
}

// TestT06_ParallelGuesses is 200 guesses at once, the right one among them too
// late to count, over a real store.
func TestT06_ParallelGuesses(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "callgate.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	k := keeperOver(s)
	if err := k.Set(t.Context(), "", rightPIN, here); err != nil {
		t.Fatal(err)
	}
	k.Lock(here)
	var tried, refused atomic.Int32
	var wg sync.WaitGroup
	for i := range 200 {
		w := []pin.Who{here, there, far}[i%3]
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
	unlock(t, k, rightPIN, here, pin.ErrLockedOut)
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
