package sandbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// memorySetting is the name of the budget's limit in the configuration.
const memorySetting = "modules.memory_mib"

// defaultMemory is the memory of all modules together, in bytes.
const defaultMemory = 1 << 30

// budget is the memory that all modules of a Runtime have together: the linear
// memories of guests and kernels by their size, and the snapshots. A nil budget
// has no bounds. It is safe for concurrent use.
type budget struct {
	most int64
	used atomic.Int64

	mu    sync.Mutex
	pools map[*pool]bool // whose idle instances can be given back
}

func newBudget(most int64) *budget {
	if most <= 0 {
		most = defaultMemory
	}
	return &budget{most: most, pools: map[*pool]bool{}}
}

func (b *budget) join(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pools[p] = true
}

func (b *budget) leave(p *pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pools, p)
}

// members lists the pools.
func (b *budget) members() []*pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.pools))
}

// take counts n bytes more, and reports whether they are there. Before it says
// no, the instances that no call uses are given back. The caller holds no pool's
// lock.
func (b *budget) take(n int64) bool {
	if b == nil || b.try(n) {
		return true
	}
	enough := func() bool { return b.used.Load()+n <= b.most }
	for _, p := range b.members() {
		p.reclaim(context.Background(), enough)
	}
	return b.try(n)
}

func (b *budget) try(n int64) bool {
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

// give takes back what take counted.
func (b *budget) give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

// refusal is how a call ends that asked for n bytes which are not there.
func (b *budget) refusal(n uint64) *trap {
	return &trap{kind: KindMemory, limit: memorySetting, message: fmt.Sprintf("%d KiB more: all modules together have at most %d MiB", n>>10, b.most>>20)}
}

// close ends all pools, and waits for the calls that run.
func (b *budget) close(ctx context.Context) {
	pools := b.members()
	for _, p := range pools {
		p.close(ctx)
	}
	for _, p := range pools {
		<-p.done
	}
}
