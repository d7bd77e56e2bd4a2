package wasmbin_test

import (
	"testing"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/sandbox/internal/wasmgen"
)

// mostInVain is how many times what it does a call may be charged: a segment of
// at most 32 + 12 and one instruction, of which at least one unit is done.
const mostInVain = 64

// TestSegmentsPayEnough: what a call is charged by segments is never less than
// what it is charged instruction by instruction, and not much more.
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
