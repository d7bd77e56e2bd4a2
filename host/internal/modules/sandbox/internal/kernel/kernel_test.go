package kernel

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// harness calls the functions of a kernel as a guest would.
type harness struct {
	*Kernel
	functions map[string]api.Function
}

// usual are limits irrelevant to the tests.
var usual = Limits{
	Fuel: 1_000_000, Timeout: time.Minute, StackBytes: 1 << 20,
	ArenaBytes: 25 << 20, OutputBytes: 1 << 20, LogLines: 64, LogBytes: 16 << 10, ErrorBytes: 512,
}

// newHost links into an engine of its own.
func newHost(tb testing.TB) *Host {
	tb.Helper()
	engine := wazero.NewRuntime(context.Background())
	tb.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	host, err := Link(context.Background(), engine, memory.NewBudget(1<<30, func(func() bool) {}), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return host
}

func newHarness(tb testing.TB, limits Limits) *harness {
	tb.Helper()
	k, err := newHost(tb).New(context.Background(), "x.wasm", limits, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(k.Close)
	k.Allow(1)
	k.Start(nil)
	h := &harness{k, map[string]api.Function{}}
	for name := range k.env.ExportedFunctionDefinitions() {
		h.functions[name] = k.env.ExportedFunction(name)
	}
	return h
}

// call returns the result of a function, 0 if it has none, and the trap it ended
// by. A Go function's trap arrives as a panic: no guest is there to end.
func (h *harness) call(name string, args ...uint64) (result uint64, err error) {
	defer func() {
		if t, ok := recover().(*Trap); ok {
			err = t
		}
	}()
	results, err := h.functions[name].Call(h.During(context.Background()), args...)
	if err != nil {
		return 0, err
	}
	if len(results) == 0 {
		return 0, nil
	}
	if h.functions[name].Definition().ResultTypes()[0] == i32 {
		return uint64(uint32(results[0])), nil
	}
	return results[0], nil
}

// text makes a block of some bytes.
func (h *harness) text(s string) uint64 {
	offset, t := h.put([]byte(s))
	if t != nil {
		panic(t)
	}
	return offset
}

// TestABI shows the effect of each of the 32 functions, right and wrong.
func TestABI(t *testing.T) {
	t.Parallel()
	const huge = 1<<64 - 1
	tried := map[string]bool{}
	type step struct {
		call string // name and arguments
		want uint64
		trap string // the call's end instead
	}
	for _, tt := range []struct {
		name  string
		input string
		steps []step
	}{
		{"blocks are 8 apart and never reused", "", []step{
			{"alloc 3", 8, ""}, {"alloc 8", 16, ""}, {"length 8", 3, ""}, {"length_unsafe 16", 8, ""},
			{"length 9", 0, ""}, {"length 0", 0, ""}, {"length 24", 0, ""}, {"length 4294967304", 0, ""}, {fmt.Sprint("length ", uint64(huge)), 0, ""},
			{"free 8", 0, ""}, {"free 8", 0, ""}, {"length 8", 0, ""}, {"free 12345", 0, ""}, {fmt.Sprint("free ", uint64(huge)), 0, ""},
			{"alloc 1", 24, ""}, {"memory_bytes", 32, ""},
		}},
		{"alloc fails with 0", "", []step{
			{"alloc 0", 0, ""}, {fmt.Sprint("alloc ", uint64(huge)), 0, ""}, {fmt.Sprint("alloc ", uint64(huge-6)), 0, ""},
			{"alloc 4294967296", 0, ""}, {"alloc 4294967295", 0, ""}, {"alloc 26214401", 0, ""}, {"alloc 26214400", 8, ""}, {"alloc 1", 0, ""},
		}},
		{"bytes and words", "", []step{
			{"alloc 16", 8, ""}, {"load_u64 8", 0, ""}, {"store_u64 8 1234605616436508552", 0, ""}, {"store_u8 8 511", 0, ""},
			{"load_u64 8", 0x11223344556677ff, ""}, {"load_u8 9", 0x77, ""}, {"load_u64 16", 0, ""}, {"load_u8 23", 0, ""},
			{"load_u8 24", 0, "load_u8: offset 24, length 1 is outside the host memory"},
			{"load_u8 7", 0, "load_u8: offset 7, length 1 is outside"}, {"load_u8 0", 0, "load_u8: offset 0, length 1 is outside"},
			{"load_u64 17", 0, "load_u64: offset 17, length 8 is outside"}, {"load_u64 4", 0, "load_u64: offset 4, length 8 is outside"},
			{fmt.Sprint("load_u64 ", uint64(huge-2)), 0, "load_u64: offset 18446744073709551613, length 8 is outside"},
			{"store_u8 4294967304 1", 0, "store_u8: offset 4294967304, length 1 is outside"},
			{"store_u64 17 1", 0, "store_u64: offset 17, length 8 is outside"},
			{fmt.Sprint("store_u64 ", uint64(huge), " 1"), 0, "store_u64: offset 18446744073709551615, length 8 is outside"},
		}},
		{"nothing is there before alloc", "", []step{
			{"load_u8 8", 0, "load_u8: offset 8"}, {"load_u64 8", 0, "load_u64: offset 8"}, {"store_u64 8 1", 0, "store_u64: offset 8"},
		}},
		{"input", "0123456789", []step{
			{"input_length", 10, ""}, {"input_offset", 8, ""}, {"load_u8 8", '0', ""}, {"length 8", 10, ""},
			{"input_load_u8 9", '9', ""}, {"input_load_u8 10", 0, ""}, {fmt.Sprint("input_load_u8 ", uint64(huge)), 0, ""},
			{"input_load_u64 2", 0x3938373635343332, ""}, {"input_load_u64 3", 0, ""}, {fmt.Sprint("input_load_u64 ", uint64(huge-3)), 0, ""},
			{"free 8", 0, ""}, {"input_length", 0, ""}, {"input_load_u8 0", 0, ""}, {"input_offset", 8, ""},
		}},
		{"the guest's own input", "0123456789", []step{
			{"input_set 9 4", 0, ""}, {"input_offset", 9, ""}, {"input_length", 4, ""}, {"input_load_u8 0", '1', ""}, {"input_load_u64 0", 0, ""},
			{"input_set 8 17", 0, "input_set: offset 8, length 17 is outside"}, {"input_length", 4, ""},
			{fmt.Sprint("input_set 8 ", uint64(huge)), 0, "input_set: offset 8, length 18446744073709551615 is outside"},
			{fmt.Sprint("input_set ", uint64(huge), " 8"), 0, "input_set: offset 18446744073709551615, length 8 is outside"},
			{"input_set 24 1", 0, "input_set: offset 24"}, {"input_set 999 0", 0, ""}, {"input_length", 0, ""}, {"input_load_u8 0", 0, ""},
		}},
		{"output and error: any, the last wins", "", []step{
			{"output_set 99 5", 0, ""}, {fmt.Sprint("output_set 1 ", uint64(huge)), 0, ""}, {"output_offset", 1, ""}, {"output_length", huge, ""},
			{"error_set 77", 0, ""}, {"error_get", 77, ""}, {"error_set 0", 0, ""}, {"error_get", 0, ""},
		}},
		{"reset", "0123456789", []step{
			{"alloc 8", 24, ""}, {"output_set 24 8", 0, ""}, {"error_set 24", 0, ""}, {"reset", 0, ""},
			{"input_length", 0, ""}, {"output_length", 0, ""}, {"error_get", 0, ""}, {"length 24", 0, ""}, {"load_u8 24", 0, "load_u8: offset 24"},
			{"free 24", 0, ""}, {"alloc 8", 32, ""}, {"load_u64 32", 0, ""}, {"load_u64 28", 0, "load_u64: offset 28"},
		}},
		{"nothing configured, no network", "key", []step{
			{"config_get 8", 0, ""}, {"config_get 12345", 0, ""}, {"var_get 8", 0, ""}, {"var_get 12345", 0, ""},
			{"http_request 8 0", 0, "http_request: a tool module has no network"}, {"http_status_code", 0, ""}, {"http_headers", 0, ""},
		}},
		{"variables", "key", []step{
			{"var_set 8 8", 0, ""}, {"var_get 8", 16, ""}, {"length 16", 3, ""}, {"load_u8 16", 'k', ""}, {"var_get 8", 24, ""},
			{"var_set 8 0", 0, ""}, {"var_get 8", 0, ""},
			{"var_set 12345 8", 0, "var_set: offset 12345 or 8 is not a block"}, {"var_set 8 12345", 0, "var_set: offset 8 or 12345 is not a block"},
		}},
		{"variables are capped", "key", []step{
			{"alloc 1048509", 16, ""}, {"var_set 8 16", 0, ""}, {"var_set 8 16", 0, ""}, {"var_set 8 8", 0, ""}, {"alloc 1048510", 1048528, ""},
			{"var_set 8 1048528", 0, "var_set: a key of 3 and a value of 1048510 bytes: all variables together have at most 1048576"},
			{"var_get 8", 2097040, ""}, {"length 2097040", 3, ""},
		}},
		{"log", "text", []step{
			{"log_trace 8", 0, ""}, {"log_debug 8", 0, ""}, {"log_info 8", 0, ""}, {"log_warn 8", 0, ""}, {"log_error 12345", 0, ""}, {"get_log_level", 3, ""},
		}},
	} {
		for _, s := range tt.steps {
			tried[strings.Fields(s.call)[0]] = true
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t, usual)
			if trapped := h.SetInput([]byte(tt.input)); trapped != nil {
				t.Fatal(trapped)
			}
			for _, s := range tt.steps {
				words := strings.Fields(s.call)
				var args []uint64
				for _, word := range words[1:] {
					var arg uint64
					if _, err := fmt.Sscan(word, &arg); err != nil {
						t.Fatal(err)
					}
					args = append(args, arg)
				}
				got, err := h.call(words[0], args...)
				if got != s.want || (err == nil) != (s.trap == "") || err != nil && !strings.Contains(err.Error(), s.trap) {
					t.Errorf("%s: got %d, %v; want %d, %q", s.call, got, err, s.want, s.trap)
				}
			}
		})
	}
	exported := slices.Sorted(maps.Keys(newHarness(t, usual).functions))
	if got := slices.Sorted(maps.Keys(tried)); len(got) != 32 || !slices.Equal(got, exported) {
		t.Errorf("tried %d functions, %q; want the 32 of the ABI, %q", len(got), got, exported)
	}
}

// TestKernelForgets: no trace of a call, of any size, can be found by the next.
func TestKernelForgets(t *testing.T) {
	t.Parallel()
	h := newHarness(t, usual)
	for _, size := range []int{1, 100, arenaKeep - arenaAt - arenaBase, arenaKeep, arenaKeep + 4096, 3 << 20} {
		if trapped := h.SetInput([]byte(strings.Repeat("x", size))); trapped != nil {
			t.Fatal(trapped)
		}
		if err := h.vars.put("k", []byte("v")); !err {
			t.Fatal("no room for a variable")
		}
		h.config = func(string) (string, bool) { return "", false }
		h.Reset()
		for at, b := range h.memory.bytes[atInput:] {
			if b != 0 {
				t.Fatalf("%d bytes: byte %d is %d after the reset; want 0", size, at+atInput, b)
			}
		}
		if h.config != nil || h.vars.values != nil || h.lent != 0 {
			t.Errorf("%d bytes: config %v, variables %v, %d bytes lent", size, h.config != nil, h.vars.values, h.lent)
		}
	}
}

// TestKernelLends: the common memory of all modules is counted beyond the soft part.
func TestKernelLends(t *testing.T) {
	t.Parallel()
	h := newHarness(t, usual)
	h.budget = memory.NewBudget(4<<20, func(func() bool) {})
	if at, err := h.call("alloc", 2<<20); at == 0 || err != nil {
		t.Fatalf("got %d, %v; want a block", at, err)
	}
	if used := h.budget.Used(); used < 2<<20 || used > 4<<20 {
		t.Errorf("%d bytes are counted; want those of a block of 2 MiB", used)
	}
	if at, err := h.call("alloc", 8<<20); err == nil || !strings.Contains(err.Error(), "all modules together") {
		t.Errorf("got %d, %v; want the call to end", at, err)
	}
	h.Reset()
	if used := h.budget.Used(); used != 0 {
		t.Errorf("%d bytes are counted after the call; want 0", used)
	}
}

func TestConfigGet(t *testing.T) {
	t.Parallel()
	h := newHarness(t, usual)
	h.config = func(key string) (string, bool) { return "value of " + key, key != "none" }
	at, err := h.call("config_get", h.text("some"))
	got, _ := h.memory.block(at)
	if err != nil || string(got) != "value of some" {
		t.Errorf("got %q, %v", got, err)
	}
	if at, err := h.call("config_get", h.text("none")); at != 0 || err != nil {
		t.Errorf("got %d, %v; want nothing", at, err)
	}
	h.Reset()
	if at, err := h.call("config_get", h.text("some")); err == nil || !strings.Contains(err.Error(), "belongs to a call") {
		t.Errorf("before a call: got %d, %v; want the start to end", at, err)
	}
}

// TestYieldIsNotCounted: a call's time-out does not run while others do, but its
// caller's does.
func TestYieldIsNotCounted(t *testing.T) {
	t.Parallel()
	for _, callers := range []bool{false, true} {
		k := &Kernel{}
		now := time.Now()
		k.deadline, k.callers = now.Add(time.Second), callers
		k.yield(now.Add(-time.Hour)) // as if others had taken an hour
		if late := k.deadline.Sub(now) > time.Hour; late == callers {
			t.Errorf("a caller's deadline %v: %v is left", callers, k.deadline.Sub(now))
		}
	}
}

// TestLongKeys: a name too long for Go to hash quickly ends the call.
func TestLongKeys(t *testing.T) {
	t.Parallel()
	h := newHarness(t, usual)
	h.config = func(string) (string, bool) { t.Error("the key was looked up"); return "", false }
	for _, function := range []string{"config_get", "var_get", "var_set"} {
		arguments := []uint64{h.text(strings.Repeat("x", keyMost+1))}
		if function == "var_set" {
			arguments = append(arguments, h.text("value"))
		}
		if _, err := h.call(function, arguments...); err == nil || !strings.Contains(err.Error(), "at most 65536") {
			t.Errorf("%s: got %v; want the call to end", function, err)
		}
	}
}

// TestLogIsBounded by lines and by bytes, with one note about dropped ones.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	limits := usual
	limits.LogLines, limits.LogBytes = 5, 100
	h := newHarness(t, limits)
	h.log.logger = slog.New(slog.NewTextHandler(&out, nil))
	for _, tt := range []struct {
		text  string
		lines int
	}{{"short", 5}, {strings.Repeat("long ", 10), 2}, {strings.Repeat("\x00", 5000), 5}} {
		out.Reset()
		h.Reset()
		line := h.text(tt.text)
		for range 100 {
			if _, err := h.call("log_warn", line); err != nil {
				t.Fatal(err)
			}
		}
		got := strings.Count(out.String(), "module says\"")
		dropped := strings.Count(out.String(), "the rest of this call is dropped")
		if got != tt.lines || dropped != 1 {
			t.Errorf("%.20q: got %d lines and %d that say the rest is dropped; want %d and 1:\n%s", tt.text, got, dropped, tt.lines, out.String())
		}
	}
}

// TestErrorOutlivesItsBlock: some plug-in kits free a block after handing it over.
func TestErrorOutlivesItsBlock(t *testing.T) {
	t.Parallel()
	limits := usual
	limits.ErrorBytes = 10
	h := newHarness(t, limits)
	text := h.text("bad\nluck with lines")
	for _, call := range []string{"error_set", "free"} {
		if _, err := h.call(call, text); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.Message(); got != "bad luck w" {
		t.Errorf("got %q", got)
	}
}
