package pin

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// Ticket stands for a person where no terminal can be seen. It is random and
// lives as long as the process, at most Hold.
type Ticket string

// unlocked are the terminals and tickets unlocked with the PIN. The zero value has none.
type unlocked struct {
	mu    sync.Mutex
	since map[key]time.Time
}

// key is an unlocked terminal, or a ticket with its token.
type key struct {
	terminal string
	token    string
	ticket   [sha256.Size]byte
}

// maxUnlocked bounds them; the oldest goes first.
const maxUnlocked = 1000

// keyOf is the place of who; false when they have neither terminal nor ticket. A ticket is
// looked up by its hash, so the time reveals nothing.
func keyOf(w Who) (key, bool) {
	switch {
	case w.Terminal != "":
		return key{terminal: w.Terminal}, true
	case w.Ticket != "":
		return key{token: w.Token, ticket: sha256.Sum256([]byte(w.Ticket))}, true
	}
	return key{}, false
}

// add unlocks the terminal of who, or a new ticket, and returns it.
func (u *unlocked) add(w Who, now time.Time) Ticket {
	u.mu.Lock()
	defer u.mu.Unlock()
	if w.Terminal == "" {
		w.Ticket = Ticket(rand.Text())
	}
	if u.since == nil {
		u.since = map[key]time.Time{}
	}
	u.sweep(now)
	k, _ := keyOf(w) // there is one now
	u.since[k] = now
	if w.Terminal != "" {
		return ""
	}
	return w.Ticket
}

// sweep forgets expired entries, and the oldest when there are too many.
func (u *unlocked) sweep(now time.Time) {
	var oldest key
	for k, at := range u.since {
		if !holds(at, now) {
			delete(u.since, k)
		} else if first, ok := u.since[oldest]; !ok || at.Before(first) {
			oldest = k
		}
	}
	if len(u.since) >= maxUnlocked {
		delete(u.since, oldest)
	}
}

// any reports whether anything is unlocked.
func (u *unlocked) any() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.since) > 0
}

// holds looks at both clocks: the one stopped while the machine sleeps, and the one people can
// set.
func holds(since, now time.Time) bool {
	wall := now.Round(0).Sub(since.Round(0))
	return now.Sub(since) < Hold && wall < Hold && wall >= 0
}

// until is the end of who's unlocking; false after it, or without any.
func (u *unlocked) until(w Who, now time.Time) (time.Time, bool) {
	k, ok := keyOf(w)
	if !ok {
		return time.Time{}, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	since, ok := u.since[k]
	if !ok || !holds(since, now) {
		return time.Time{}, false
	}
	return since.Add(Hold).UTC().Round(0), true
}

func (u *unlocked) remove(w Who) {
	k, ok := keyOf(w)
	if !ok {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.since, k)
}

func (u *unlocked) clear() {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.since)
}
