// Package ratelog counts frequent events, so the log hears of them once a second at most. Threat
// T12.
package ratelog

import (
	"sync"
	"time"
)

// Tally counts one kind of thing. It is safe for concurrent use.
type Tally struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	mu   sync.Mutex
	n    int
	told time.Time
}

// Count adds one. It returns how many there were since the log heard of them
// last, or 0 when it shall not hear of them yet.
func (t *Tally) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	at := now()
	if at.Sub(t.told) < time.Second {
		return 0
	}
	n := t.n
	t.n, t.told = 0, at
	return n
}
