package daemon

import (
	"testing"
	"time"
)

// TestRest: a quiet process gives its unused memory back.
func TestRest(t *testing.T) {
	forced := func() uint64 { return metric("/gc/cycles/forced:gc-cycles") }
	before := forced()
	waste(restAfter)
	go rest(t.Context(), 10*time.Millisecond)
	for forced() == before { // the test's time-out ends it
		time.Sleep(time.Millisecond)
	}
}

// waste allocates on the heap and keeps nothing.
func waste(bytes int) {
	for range bytes / len(block{}) {
		last = new(block)
	}
	last = nil
}

type block [1 << 16]byte

var last *block
