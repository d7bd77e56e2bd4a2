package memory

import (
	"fmt"
	"sync/atomic"
)

// Budget is the common memory of a runtime's modules: the linear memories of guests and kernels
// by their size, and the snapshots. A nil Budget has no bounds. It is safe for concurrent use.
type Budget struct {
	most   int64
	used   atomic.Int64
	relief func(enough func() bool)
}

// NewBudget returns a budget of most bytes. Before a refusal it calls relief, which releases
// idle memory until enough says so.
func NewBudget(most int64, relief func(enough func() bool)) *Budget {
	return &Budget{most: most, relief: relief}
}

// Most is how many bytes there are.
func (b *Budget) Most() int64 { return b.most }

// Used is how many bytes are counted now.
func (b *Budget) Used() int64 { return b.used.Load() }

// Take counts n bytes more, or reports their lack. The caller holds no lock needed by relief.
func (b *Budget) Take(n int64) *Short {
	if b == nil || b.try(n) {
		return nil
	}
	b.relief(func() bool { return b.used.Load()+n <= b.most })
	if b.try(n) {
		return nil
	}
	return &Short{Want: n, Most: b.most}
}

func (b *Budget) try(n int64) bool {
	for {
		used := b.used.Load()
		if n > b.most-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// Give reverts Take.
func (b *Budget) Give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// Short means: a budget lacks the wanted bytes.
type Short struct{ Want, Most int64 }

// Error implements error.
func (s *Short) Error() string {
	return fmt.Sprintf("%d KiB more: all modules together have at most %d MiB", s.Want>>10, s.Most>>20)
}
