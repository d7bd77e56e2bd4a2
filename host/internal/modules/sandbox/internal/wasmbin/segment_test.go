package wasmbin_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

// mostInVain is the largest ratio of a call's charge to its work: a segment of at most 32 + 12
// and one instruction, with at least one unit done.
const mostInVain = 64

// TestSegmentsPayEnough: a call's charge by segments is never less than its charge instruction
// by instruction, and not much more.
func TestSegmentsPayEnough(t *testing.T) {
	t.Parallel()
	th := newTheatre(t)
	paid, done := int64(0), int64(0)
	for seed := range uint64(200 / divisor()) {
		m := wasmgen.Generate(choices(seed), wasmgen.Options{})
		var fuel [2][]int64
		for i, o := range []wasmbin.Options{generatedOptions, wasmbin.Exact(generatedOptions)} {
			result, err := wasmbin.Rewrite(m.Wasm, o)
			if err != nil {
				t.Fatal(err)
			}
			_, fuel[i], _ = th.large.perform(result.Wasm, m)
		}
		if len(fuel[0]) != len(fuel[1]) {
			t.Fatalf("seed %d: %d and %d calls", seed, len(fuel[0]), len(fuel[1]))
		}
		for i, exact := range fuel[1] {
			if got := fuel[0][i]; got < exact || got > mostInVain*(exact+1) {
				t.Errorf("seed %d, fuel after call %d: %d by segments, %d by instructions", seed, i, got, exact)
			}
			paid, done = paid+fuel[0][i], done+exact
		}
	}
	if done == 0 {
		t.Fatal("nothing was charged")
	}
	t.Logf("charged %d for %d", paid, done)
}
