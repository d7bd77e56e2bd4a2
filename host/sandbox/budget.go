package sandbox

import (
	"fmt"
	"sync/atomic"
)

// budget is the memory that all modules of a Runtime have together. A nil
// budget has no bounds. It is safe for concurrent use.
type budget struct {
	most int64
	used atomic.Int64
}

// take counts n bytes more, and reports whether they are there.
func (b *budget) take(n int64) bool {
	if b == nil {
		return true
	}
	if b.used.Add(n) > b.most {
		b.used.Add(-n)
		return false
	}
	return true
}

// give takes back what take counted.
func (b *budget) give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// refusal is how a call ends that asked for n bytes which are not there.
func (b *budget) refusal(n uint64) *trap {
	return &trap{kind: KindMemory,
		message: fmt.Sprintf("%d KiB more: all modules together have at most %d MiB", n>>10, b.most>>20)}
}
