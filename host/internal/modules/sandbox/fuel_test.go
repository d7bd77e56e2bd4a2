package sandbox_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestFuelIsExact: with exactly the fuel of an earlier call the result is the same, with one
// unit less it is not.
func TestFuelIsExact(t *testing.T) {
	t.Parallel()
	r := newRuntime(t, sandbox.Limits{})
	for _, tt := range []struct{ module, verb, input string }{
		{"deploy", "check_permissions", `{"target":"staging/web"}`},
		{"deploy", "match_rule", `{"rules":[{"content":"staging/*"}],"target":"staging/web"}`},
		{"abi", "check_permissions", `{"input":{}}`},
		{"everything", "check_permissions", ``},
		{"sleep", "check_permissions", ``},
		{"log_lines", "check_permissions", ``},
		{"double_free", "check_permissions", ``},
	} {
		t.Run(tt.module+" "+tt.verb, func(t *testing.T) {
			t.Parallel()
			use := func(m *sandbox.Module) (string, int64, error) {
				var used sandbox.Usage
				got, err := m.Append(context.Background(), nil, sandbox.Request{Export: tt.verb, Input: []byte(tt.input), Used: &used})
				return string(got), used.Fuel, err
			}
			want, fuel, err := use(load(t, r, tt.module))
			if err != nil || fuel <= 0 {
				t.Fatalf("got %q, %d, %v", want, fuel, err)
			}
			m := load(t, r.WithLimits(sandbox.Limits{Fuel: fuel}), tt.module)
			for range 3 {
				if got, again, err := use(m); err != nil || got != want || again != fuel {
					t.Errorf("with %d: got %q, %d, %v; want %q", fuel, got, again, err, want)
				}
			}
			got, less, err := use(load(t, r.WithLimits(sandbox.Limits{Fuel: fuel - 1}), tt.module))
			var failure *sandbox.Error
			if !errors.As(err, &failure) || failure.Kind != sandbox.KindFuel || failure.Limit != "fuel" || less != fuel-1 {
				t.Errorf("with %d: got %q, %d, %v; want it to be too little", fuel-1, got, less, err)
			}
		})
	}
}

// TestUsage_log: a call's log is counted, up to the first line too many, and anew for each
// call, with a logger or without.
func TestUsage_log(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{}), "log_lines")
	for _, tt := range []struct {
		verb         string
		lines, bytes int
	}{{"check_permissions", 65, 65 * len(`{"read_only":false}`)}, {"check_read_only", 0, 0}} {
		var used sandbox.Usage
		if _, err := m.Append(t.Context(), nil, sandbox.Request{Export: tt.verb, Used: &used}); err != nil || used.LogLines != tt.lines || used.LogBytes != tt.bytes {
			t.Errorf("%s: got %+v, %v; want %d lines with %d bytes", tt.verb, used, err, tt.lines, tt.bytes)
		}
	}
}

// TestTimeoutNamesItsLimit, and the caller's own deadline does not.
func TestTimeoutNamesItsLimit(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{Timeout: 2 * time.Millisecond}), "loop")
	slow := load(t, newRuntime(t, sandbox.Limits{}), "loop")
	if _, err := slow.Call(t.Context(), "describe", nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, tt := range []struct {
		ctx    context.Context
		module *sandbox.Module
		limit  string
	}{{t.Context(), m, "timeout"}, {ctx, slow, ""}} {
		got, err := tt.module.Call(tt.ctx, "check_permissions", nil)
		wantError(t, got, err, sandbox.KindTimeout, "took too long")
		var failure *sandbox.Error
		if errors.As(err, &failure); failure == nil || failure.Limit != tt.limit || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v; want the limit %q", err, tt.limit)
		}
	}
}

// TestCallerGaveUp: no call is begun for one who has already gone.
func TestCallerGaveUp(t *testing.T) {
	t.Parallel()
	m := load(t, newRuntime(t, sandbox.Limits{}), "deploy")
	if _, err := m.Call(t.Context(), "describe", nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := m.Call(ctx, "describe", nil)
	wantError(t, got, err, sandbox.KindCancelled, "gave up")
}

// TestCallAllocatesNothing on the ready path.
func TestCallAllocatesNothing(t *testing.T) {
	if raceflag.Enabled {
		t.Skip("the race detector allocates")
	}
	r := newRuntime(t, sandbox.Limits{})
	for _, tt := range []struct{ module, verb, input string }{
		{"deploy", "check_permissions", `{"target":"staging/web"}`},
		{"echo", "describe", ``},
	} {
		m := load(t, r, tt.module)
		q := sandbox.Request{Export: tt.verb, Input: []byte(tt.input), Used: new(sandbox.Usage)}
		dst := make([]byte, 0, 4096)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if got := testing.AllocsPerRun(1000, func() {
			if _, err := m.Append(ctx, dst, q); err != nil {
				t.Fatal(err)
			}
		}); got >= 1 {
			t.Errorf("%s %s: %v allocations in a call; want none", tt.module, tt.verb, got)
		}
	}
}
