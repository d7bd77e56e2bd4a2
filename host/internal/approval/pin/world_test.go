package pin_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/store"
)

// memory is a store with failures and tampering.
type memory struct {
	mu     sync.Mutex
	values map[string][]byte
	events []store.Event
	forged bool
	broken error
}

func (m *memory) Setting(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[name]
	switch {
	case m.broken != nil:
		return nil, m.broken
	case m.forged:
		return nil, store.ErrForged
	case !ok:
		return nil, store.ErrNotFound
	}
	return value, nil
}

func (m *memory) SaveSetting(_ context.Context, name string, value []byte, row store.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken != nil {
		return m.broken
	}
	if m.values == nil {
		m.values = map[string][]byte{}
	}
	m.values = maps.Clone(m.values)
	m.values[name], m.forged = value, false
	m.events = append(m.events, row.Event)
	return nil
}

func (m *memory) ReplaceSetting(ctx context.Context, name string, was, value []byte, row store.Row) error {
	m.mu.Lock()
	now, ok := m.values[name]
	m.mu.Unlock()
	if m.broken == nil && (ok != (was != nil) || !bytes.Equal(now, was)) {
		return store.ErrStale
	}
	return m.SaveSetting(ctx, name, value, row)
}

// count tells how many rows of an event there are.
func (m *memory) count(e store.Event) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, have := range m.events {
		if have == e {
			n++
		}
	}
	return n
}

const rightPIN, wrong = "4711 0815", "0815 4711"

// here and there are two terminals of one account.
var (
	here  = pin.Who{By: "ann", Token: "admin", Terminal: "tty1/100/5"}
	there = pin.Who{By: "ann", Token: "admin", Terminal: "tty2/200/6"}
	far   = pin.Who{By: "ann", Token: "admin"}
)

func keeper(m *memory) *pin.Keeper {
	return pin.New(pin.Cheap(pin.Config{Store: m}))
}

// withPIN is a keeper with a PIN and no unlocked terminal.
func withPIN(t *testing.T, m *memory) *pin.Keeper {
	t.Helper()
	if err := keeper(m).Set(t.Context(), "", rightPIN, here); err != nil {
		t.Fatal(err)
	}
	return keeper(m)
}

func wants(t *testing.T, k *pin.Keeper, w pin.Who, want error) {
	t.Helper()
	if err := k.Require(t.Context(), w); !errors.Is(err, want) {
		t.Errorf("require of %+v: got %v, want %v", w, err, want)
	}
}

func unlock(t *testing.T, k *pin.Keeper, typed string, w pin.Who, want error) pin.Ticket {
	t.Helper()
	ticket, err := k.Unlock(t.Context(), typed, w)
	if !errors.Is(err, want) {
		t.Errorf("unlock: got %v, want %v", err, want)
	}
	return ticket
}

// sleep lets the bubble's clock run.
func sleep(d time.Duration) { time.Sleep(d) }
