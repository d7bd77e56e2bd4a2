package sandbox

import (
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestReadyPath: a call on a ready instance allocates nothing.
func TestReadyPath(t *testing.T) {
	if raceflag.Enabled {
		t.Skip("the race detector's pools forget")
	}
	for _, file := range []string{"modules/deploy", "hostile/count_table"} {
		m := testModule(t, file, Config{})
		input, buffer := []byte(`{"target":"staging/web"}`), make([]byte, 0, 1<<10)
		call := func() {
			if _, err := m.Append(t.Context(), buffer, Request{Export: MatchRule, Input: input}); err != nil {
				t.Error(err)
			}
		}
		call()
		if n := testing.AllocsPerRun(500, call); n != 0 {
			t.Errorf("%s: %v allocations for each call; want none", file, n)
		}
	}
}
