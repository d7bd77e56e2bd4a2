package sandbox

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// pools are all of a Runtime's, with a common memory. It is safe for concurrent use.
type pools struct {
	mu  sync.Mutex
	all map[*pool]bool
}

func newPools() *pools { return &pools{all: map[*pool]bool{}} }

func (s *pools) join(p *pool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[p] = true
}

func (s *pools) leave(p *pool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, p)
}

func (s *pools) list() []*pool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.all))
}

// relieve gives back idle instances until enough says so, but leaves each pool one: a module
// filling the memory and holding on to it must not be able to silence the others. The caller
// holds no pool's lock.
func (s *pools) relieve(enough func() bool) {
	for _, p := range s.list() {
		p.reclaim(context.Background(), 1, enough)
	}
}

// relieveAll gives back all idle instances, for the first instance of a pool.
func (s *pools) relieveAll() {
	for _, p := range s.list() {
		p.reclaim(context.Background(), 0, func() bool { return false })
	}
}

// close ends all pools, and waits for the running calls.
func (s *pools) close(ctx context.Context) {
	all := s.list()
	for _, p := range all {
		p.close(ctx)
	}
	for _, p := range all {
		<-p.done
	}
}
