package daemon

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The heap is looked at every restEvery. When a quiet process has allocated restAfter since the
// last time, unused memory goes back to the system: the collector of an idle process runs only
// every two minutes, and returns memory slowly. A large heap is looked through seldom, and is quiet
// with more: thousands of waiting calls send signs of life.
const (
	restEvery  = 3 * time.Second
	restAfter  = 16 << 20 // or an eighth of what lives
	quietBytes = 1 << 20  // or a 64th
)

// rest gives unused memory back to the system whenever the process is quiet, until ctx ends. After
// a start most of the heap is garbage from reading modules.
func rest(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	before, rested := allocated(), uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, live := allocated(), metric("/gc/heap/live:bytes")
		if now-before < max(quietBytes, live/64) && now-rested > max(restAfter, live/8) {
			debug.FreeOSMemory()
			rested = now
		}
		before = now
	}
}

// allocated is how many bytes the process has allocated on its heap so far.
func allocated() uint64 { return metric("/gc/heap/allocs:bytes") }

func metric(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
