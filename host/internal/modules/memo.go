package modules

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// memo remembers answers of modules in memory. A module computes nothing but its input:
// its clock stands still, its randomness is seeded, and each call starts from the same
// state. So the same code gives the same answer to the same verb and envelope, and uses
// the same fuel for it. Only answers are remembered, never a failure or an answer with
// log lines. The code is part of the key as one compiled module, so nothing is found
// after a swap, even to the same bytes. RATIONALE.md, "Why is a module's answer
// remembered?". Its methods are safe for concurrent use.
type memo struct {
	// limit bounds the answers with their keys, in bytes.
	limit int

	mu sync.Mutex
	// young takes new answers and those found again; at half of the limit it becomes old, and
	// the earlier old is dropped.
	young, old map[memoKey][]byte
	size       int // of young

	found, missed atomic.Int64
}

// Answers counts the questions to modules that ran one, and the remembered ones.
func (c *Catalog) Answers() (run, remembered int64) {
	return c.memo.missed.Load(), c.memo.found.Load()
}

// memoKey is the SHA-256 of a code, a verb and an envelope.
type memoKey [sha256.Size]byte

// memoLimit bounds the answers of all modules of a catalog, and memoOverhead is an entry's size
// besides its answer.
const (
	memoLimit    = 8 << 20
	memoOverhead = 2*sha256.Size + 64
)

func newMemo(limit int) *memo { return &memo{limit: limit, young: map[memoKey][]byte{}} }

// keyOf is the key of one call of a verb. The envelope holds the configuration for config_get.
func keyOf(code uint64, verb string, envelope []byte) (k memoKey) {
	h := sha256.New()
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:], code)
	binary.LittleEndian.PutUint64(head[8:], uint64(len(verb)))
	h.Write(head[:])
	h.Write([]byte(verb))
	h.Write(envelope)
	h.Sum(k[:0])
	return k
}

// find returns a remembered answer, for reading alone.
func (m *memo) find(k memoKey) ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	answer, ok := m.young[k]
	if !ok {
		if answer, ok = m.old[k]; ok {
			m.put(k, answer)
		}
	}
	if ok {
		m.found.Add(1)
	} else {
		m.missed.Add(1)
	}
	return answer, ok
}

// add remembers a copy of an answer; one beyond an eighth of the limit is too large.
func (m *memo) add(k memoKey, answer []byte) {
	if len(answer)+memoOverhead > m.limit/8 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, twice := m.young[k]; !twice {
		m.put(k, append([]byte(nil), answer...))
	}
}

func (m *memo) put(k memoKey, answer []byte) {
	cost := len(answer) + memoOverhead
	if m.size+cost > m.limit/2 {
		m.young, m.old, m.size = map[memoKey][]byte{}, m.young, 0
	}
	m.young[k] = answer
	m.size += cost
}
