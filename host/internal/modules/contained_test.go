package modules_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// TestContained: a module with garbage, a late, an excessive or no answer is reported by its
// name and the verb, at a call and at a swap; then the one before it stays, and the others
// answer as before.
func TestContained(t *testing.T) {
	t.Parallel()
	r, err := sandbox.New(t.Context(), sandbox.Config{Limits: sandbox.Limits{Timeout: time.Minute, Fuel: 3_000_000}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Runtime: r, Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	before := c.Lookup("Deploy").Digest
	for _, tt := range []struct{ call, swap, atCall, atSwap string }{
		{"json_array", "describe_garbage", "tool json_array.wasm: check_permissions: answer: want a JSON object", "tool deploy.wasm: describe: want a JSON object"},
		{"loop", "describe_loop", "tool loop.wasm: check_permissions: fuel (modules.grants.loop.limits.fuel)", "tool deploy.wasm: describe: fuel (modules.grants.deploy.limits.fuel)"},
		{"flood", "describe_flood", "tool flood.wasm: check_permissions: output (modules.grants.flood.limits.output_kib): 2000000 bytes: at most 1048576", "tool deploy.wasm: describe: output (modules.grants.deploy.limits.output_kib): 2000000 bytes"},
		{"empty", "describe_nothing", "tool empty.wasm: check_permissions: output: ", "tool deploy.wasm: describe: output: "},
	} {
		write(t, dir, tt.call+".wasm", wasm(t, tt.call))
		write(t, dir, "deploy.wasm", wasm(t, tt.swap))
		out, err := c.Reload(t.Context())
		if err != nil || len(out.Swaps) != 2 {
			t.Fatalf("%s: got %+v, %v; want two", tt.call, out, err)
		}
		for _, s := range out.Swaps {
			if s.File == "deploy.wasm" && (s.What != wire.SwapKept || !strings.HasPrefix(s.Why, tt.atSwap) || s.Is != before) {
				t.Errorf("%s at a swap: got %+v; want %q", tt.swap, s, tt.atSwap)
			}
			if s.File != "deploy.wasm" && s.What != wire.SwapLoaded {
				t.Errorf("%s: got %+v; want it loaded", tt.call, s)
			}
		}
		v, err := c.Lookup(tt.call).Tool.CheckPermissions(t.Context(), call(`{}`))
		if err == nil || v.Behavior == engine.Allow || !strings.HasPrefix(err.Error(), tt.atCall) {
			t.Errorf("%s at a call: got %+v, %v; want %q", tt.call, v, err, tt.atCall)
		}
		if v, err := c.Lookup("Deploy").Tool.CheckPermissions(t.Context(), call(`{"target":"staging/x"}`)); err != nil || v.Behavior != engine.Allow {
			t.Errorf("beside %s: got %+v, %v; want allow", tt.call, v, err)
		}
	}
}
