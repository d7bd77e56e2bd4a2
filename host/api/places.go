package api

import "sync"

// places counts what is under way. No token may hold more than half of all
// places, so that one agent's flood leaves room for the others (threat T12).
type places struct {
	all int

	mu    sync.Mutex
	taken int
	by    map[string]int
}

func newPlaces(all int) *places { return &places{all: all, by: map[string]int{}} }

// enter takes a place and reports whether there was one.
func (p *places) enter(token string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.by[token] >= max(p.all/2, 1) {
		return false
	}
	p.taken++
	p.by[token]++
	return true
}

// leave gives a place back.
func (p *places) leave(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[token]--; p.by[token] == 0 {
		delete(p.by, token)
	}
}

// used counts the places taken.
func (p *places) used() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
