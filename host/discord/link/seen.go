package link

import (
	"sync"
	"time"
)

// keepSeen is longer than a signed call can be repeated: its time may be ahead of our
// clock by maxAge, and behind by as much.
const keepSeen = 2*maxAge + time.Minute

// maxSeen bounds what is remembered. Only calls that Discord signed count.
const maxSeen = 1 << 16

// seen remembers interactions, so that none is dealt with twice.
type seen struct {
	mu    sync.Mutex
	at    map[string]struct{}
	order []sighting
}

type sighting struct {
	id string
	at time.Time
}

func newSeen() *seen { return &seen{at: map[string]struct{}{}} }

// first tells whether an interaction comes for the first time. When too many were
// there it says no.
func (s *seen) first(id string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.order) > 0 && now.Sub(s.order[0].at) > keepSeen {
		delete(s.at, s.order[0].id)
		s.order = s.order[1:]
	}
	if _, there := s.at[id]; there || len(s.order) >= maxSeen {
		return false
	}
	s.at[id] = struct{}{}
	s.order = append(s.order, sighting{id, now})
	return true
}
