package link

import (
	"strconv"
	"sync"
	"time"
)

// keepSeen is longer than a signed call can be repeated: its time may be ahead of our
// clock by maxAge, and behind by as much.
const keepSeen = 2*maxAge + time.Minute

// maxSeen bounds the remembered interactions. Only Discord's own count.
const maxSeen = 1 << 16

// seen remembers interactions, so none is processed twice. When members of a server flood it,
// it forgets the oldest, and refuses everything as old as those: ids grow with time.
type seen struct {
	mu    sync.Mutex
	at    map[string]struct{}
	order []sighting
	floor uint64 // ids up to here are no longer remembered
}

type sighting struct {
	id string
	at time.Time
}

// newSeen accepts only ids above floor.
func newSeen(floor uint64) *seen { return &seen{at: map[string]struct{}{}, floor: floor} }

// first reports whether an interaction surely comes for the first time.
func (s *seen) first(id string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.order) > 0 && now.Sub(s.order[0].at) > keepSeen {
		delete(s.at, s.order[0].id)
		s.order = s.order[1:]
	}
	number, err := strconv.ParseUint(id, 10, 64)
	if _, there := s.at[id]; there || err != nil || number <= s.floor {
		return false
	}
	if len(s.order) >= maxSeen {
		if oldest, err := strconv.ParseUint(s.order[0].id, 10, 64); err == nil {
			s.floor = max(s.floor, oldest)
		}
		delete(s.at, s.order[0].id)
		s.order = s.order[1:]
	}
	s.at[id] = struct{}{}
	s.order = append(s.order, sighting{id, now})
	return true
}
