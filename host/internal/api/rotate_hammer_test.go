package api_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
)

// TestTokens_hammer rotates an agent's token while its calls are judged: every
// call is judged rightly or refused, the old secret stops at once, and the new
// one works at once.
func TestTokens_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var stop atomic.Bool
	var judged, refused atomic.Int64
	var wg sync.WaitGroup
	// Also when a step below fails: running calls would hide it.
	defer wg.Wait()
	defer stop.Store(true)
	for range 6 {
		wg.Go(func() {
			for !stop.Load() {
				c, err := client.Dial(w.socket, w.token("ci"))
				if err != nil {
					t.Error(err)
					return
				}
				for range 5 {
					res, err := c.Check(t.Context(), bash("npm install"), nil)
					switch {
					case res.Decision.Behavior != engine.Deny:
						t.Errorf("got %s, want deny: the agent may nothing", res.Decision.Behavior)
					case err == nil:
						judged.Add(1)
					default:
						refused.Add(1)
					}
				}
				c.Close()
			}
		})
	}
	admin := w.client("admin")
	for i := range 25 {
		old := w.token("ci")
		made, err := admin.RotateToken(t.Context(), "ann", "check:ci")
		must(t, err)
		r := rawRequest{method: "POST", path: "/v1/evaluate", body: `{"tool":"Bash","input":{"command":"ls"}}`}
		for secret, want := range map[string]int{old: http.StatusUnauthorized, made.Secret: http.StatusOK, w.token("ci"): http.StatusOK} {
			r.secret = "Bearer " + secret
			if got := w.mustRaw(t, r); got.status != want {
				t.Errorf("rotation %d: got %d, want %d", i, got.status, want)
			}
		}
	}
	stop.Store(true)
	wg.Wait()
	if judged.Load() == 0 {
		t.Errorf("no call was judged, %d refused", refused.Load())
	}
	t.Logf("%d judged, %d refused", judged.Load(), refused.Load())
}
