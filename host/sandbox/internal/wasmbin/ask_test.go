package wasmbin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// TestAsksSoon: whatever way a call takes, it is never long until it asks for
// fuel. A guest that does not ask cannot be stopped.
func TestAsksSoon(t *testing.T) {
	t.Parallel()
	const most = 2000
	for name, wasm := range map[string]string{
		// Each function calls the next one twice, after a loop that is none.
		"empty loops": calls(12, "\x03\x40\x0b\x10%\x10%\x0b"),
		"inner loops": calls(12, "\x03\x40\x03\x40\x0b\x0b\x10%\x10%\x0b"),
		// A function that calls nothing, with what is dear where it never comes.
		"untaken arms":   calls(1, strings.Repeat(cheap+"\x41\x00\x04\x40"+dear+"\x0b", 200)+"\x0b"),
		"left blocks":    calls(1, strings.Repeat("\x02\x40"+cheap+"\x41\x01\x0d\x00"+dear+"\x0b", 200)+"\x0b"),
		"table of exits": calls(1, strings.Repeat("\x02\x40\x02\x40"+cheap+"\x41\x01\x0e\x01\x00\x01\x0b"+dear+"\x0b", 200)+"\x0b"),
		"other arms":     calls(1, strings.Repeat(cheap+"\x41\x01\x04\x40\x01\x05"+dear+"\x0b", 200)+"\x0b"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, asked := unasked(t, wasm); got > most || asked < 20 {
				t.Errorf("asked %d times, and cost up to %d in between; want at most %d", asked, got, most)
			}
		})
	}
}

// cheap and dear cost 400 and 1000 and leave nothing.
var (
	cheap = strings.Repeat("\x41\x01\x41\x01\x6a\x1a", 133)
	dear  = "\x41\x00\x40\x00\x1a" // memory.grow
)

// calls is a module with n+1 functions () -> (), each of the code given with the
// number of the next for %; the last one is empty, the first one is "f".
func calls(n int, code string) string {
	section := func(id byte, content string) string { return string(id) + short(len(content)) + content }
	bodies := short(n + 1)
	for i := 1; i <= n; i++ {
		body := "\x00" + strings.ReplaceAll(code, "%", short(i))
		bodies += short(len(body)) + body
	}
	return empty + section(1, "\x01\x60\x00\x00") + section(3, short(n+1)+strings.Repeat("\x00", n+1)) +
		section(5, "\x01\x00\x01") + section(7, "\x01\x01f\x00\x00") + section(10, bodies+"\x02\x00\x0b")
}

// unasked runs f and returns the most fuel that was used without asking, and how
// often was asked.
func unasked(t *testing.T, wasm string) (most int64, asked int) {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }() // nothing to lose
	_, err := r.NewHostModuleBuilder(wasmbin.FuelModule).
		NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		most, asked = max(most, -int64(stack[0])), asked+1
		stack[0] = 0
	}), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).Export(wasmbin.RefillName).
		NewFunctionBuilder().WithFunc(func() {}).Export(wasmbin.OverflowName).Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	result, err := wasmbin.Rewrite([]byte(wasm), options)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, result.Wasm)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mod.ExportedFunction("f").Call(ctx); err != nil {
		t.Fatal(err)
	}
	return max(most, -int64(mod.ExportedGlobal(wasmbin.FuelGlobal).Get())), asked
}
