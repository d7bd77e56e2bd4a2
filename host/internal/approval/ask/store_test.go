package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

var errDisk = errors.New("disk is gone")

// memStore is a Store with rows through JSON, so it shares nothing with the broker by accident,
// and with failures on demand.
type memStore struct {
	mu      sync.Mutex
	ids     []string
	rows    map[string]ask.Ask
	streaks map[string]ask.Streak
	failing map[string]bool // by method name
	writes  int
}

var _ ask.Store = (*memStore)(nil)

func newMemStore() *memStore {
	return &memStore{rows: map[string]ask.Ask{}, streaks: map[string]ask.Streak{}, failing: map[string]bool{}}
}

func (m *memStore) fail(method string, on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing[method] = on
}

func (m *memStore) get(id string) (ask.Ask, error) {
	a, ok := m.rows[id]
	if !ok {
		return ask.Ask{}, ask.ErrUnknown
	}
	return a, nil
}

func (m *memStore) put(a ask.Ask) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	var row ask.Ask
	if err := json.Unmarshal(raw, &row); err != nil {
		return err
	}
	row.Node, row.Rev = a.Node, a.Rev // columns of their own
	m.rows[a.ID] = row
	m.writes++
	return nil
}

func (m *memStore) InsertAsk(_ context.Context, a ask.Ask) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["InsertAsk"] {
		return errDisk
	}
	if _, taken := m.rows[a.ID]; taken {
		return ask.ErrDuplicateID
	}
	m.ids = append(m.ids, a.ID)
	return m.put(a)
}

func (m *memStore) CompareAndSetAsk(_ context.Context, from ask.State, next ask.Ask) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["CompareAndSetAsk"] {
		return false, errDisk
	}
	have, err := m.get(next.ID)
	if err != nil || have.State != from || have.Rev != next.Rev {
		return false, err
	}
	next.Rev++
	return true, m.put(next)
}

func (m *memStore) UseAsk(_ context.Context, id string, at time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["UseAsk"] {
		return false, errDisk
	}
	a, err := m.get(id)
	if err != nil || a.State != ask.Approved || !a.UsedAt.IsZero() {
		return false, err
	}
	a.UsedAt = at
	return true, m.put(a)
}

func (m *memStore) Ask(_ context.Context, id string) (ask.Ask, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(id)
}

// last returns the newest matching row.
func (m *memStore) last(match func(ask.Ask) bool) (ask.Ask, error) {
	for i := len(m.ids) - 1; i >= 0; i-- {
		if a, err := m.get(m.ids[i]); err != nil || match(a) {
			return a, err
		}
	}
	return ask.Ask{}, ask.ErrUnknown
}

func (m *memStore) LastAsk(_ context.Context, key ask.Key) (ask.Ask, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["LastAsk"] {
		return ask.Ask{}, errDisk
	}
	return m.last(func(a ask.Ask) bool { return a.Key() == key })
}

func (m *memStore) DeniedAsk(_ context.Context, agent, digest string, since time.Time) (ask.Ask, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["DeniedAsk"] {
		return ask.Ask{}, errDisk
	}
	return m.last(func(a ask.Ask) bool {
		return a.Agent == agent && a.Digest == digest && a.State == ask.Denied &&
			a.Cause == ask.CauseAnswered && !a.EndedAt.Before(since)
	})
}

func (m *memStore) WaitingRevs(ctx context.Context) (map[string]int64, error) {
	asks, err := m.WaitingAsks(ctx)
	revs := map[string]int64{}
	for _, a := range asks {
		revs[a.ID] = a.Rev
	}
	return revs, err
}

func (m *memStore) WaitingAsks(context.Context) ([]ask.Ask, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["WaitingAsks"] {
		return nil, errDisk
	}
	var asks []ask.Ask
	for _, id := range m.ids {
		a, err := m.get(id)
		if err != nil {
			return nil, err
		}
		if a.State.Waiting() {
			asks = append(asks, a)
		}
	}
	return asks, nil
}

func (m *memStore) SaveStreak(_ context.Context, s ask.Streak) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["SaveStreak"] {
		return errDisk
	}
	m.streaks[s.Session] = s
	return nil
}

func (m *memStore) Streaks(context.Context) ([]ask.Streak, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing["Streaks"] {
		return nil, errDisk
	}
	var list []ask.Streak
	for _, s := range m.streaks {
		list = append(list, s)
	}
	return list, nil
}
