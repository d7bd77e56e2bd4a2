package presence_test

import (
	"context"
	"errors"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/store"
)

// memory is a store that can fail and be tampered with.
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

const pin, wrong = "4711 0815", "0815 4711"

// here and there are two terminals of one account.
var (
	here  = presence.Who{By: "ann", Token: "admin", Terminal: "tty1/100/5"}
	there = presence.Who{By: "ann", Token: "admin", Terminal: "tty2/200/6"}
	far   = presence.Who{By: "ann", Token: "admin"}
)

func keeper(m *memory) *presence.Keeper {
	return presence.New(presence.Cheap(presence.Config{Store: m}))
}

// withPIN is a keeper that has a PIN and no one who typed it.
func withPIN(t *testing.T, m *memory) *presence.Keeper {
	t.Helper()
	if err := keeper(m).Set(t.Context(), "", pin, here); err != nil {
		t.Fatal(err)
	}
	return keeper(m)
}

func wants(t *testing.T, k *presence.Keeper, w presence.Who, want error) {
	t.Helper()
	if err := k.Require(t.Context(), w); !errors.Is(err, want) {
		t.Errorf("require of %+v: got %v, want %v", w, err, want)
	}
}

func unlock(t *testing.T, k *presence.Keeper, pin string, w presence.Who, want error) presence.Ticket {
	t.Helper()
	ticket, err := k.Unlock(t.Context(), pin, w)
	if !errors.Is(err, want) {
		t.Errorf("unlock: got %v, want %v", err, want)
	}
	return ticket
}

// sleep lets the bubble's clock run.
func sleep(d time.Duration) { time.Sleep(d) }
