package daemon

import (
	"testing"
	"time"
)

// TestRest: a quiet process gives its unused memory back.
func TestRest(t *testing.T) {
	forced := func() uint64 { return metric("/gc/cycles/forced:gc-cycles") }
	before := forced()
	garbage = make([]byte, restAfter)
	garbage = nil
	go rest(t.Context(), 10*time.Millisecond)
	for forced() == before { // the test's time-out ends it
		time.Sleep(time.Millisecond)
	}
}

var garbage []byte // so that it is on the heap
