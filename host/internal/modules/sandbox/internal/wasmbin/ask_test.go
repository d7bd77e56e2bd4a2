package wasmbin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// TestAsksSoon: on any way of a call, it soon asks for fuel. A guest that does not ask cannot
// be stopped.
func TestAsksSoon(t *testing.T) {
	t.Parallel()
	const most = 2000
	for name, wasm := range map[string]string{
		// Each function calls the next one twice, after a loop without a round.
		"empty loops": calls(12, "\x03\x40\x0b\x10%\x10%\x0b"),
		"inner loops": calls(12, "\x03\x40\x03\x40\x0b\x0b\x10%\x10%\x0b"),
		// A leaf function, with dear code it never reaches.
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

// unasked runs f and returns the most fuel used without asking, and the number of questions.
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

// TestMovesArePaid: moving many values in one instruction costs more than an instruction.
func TestMovesArePaid(t *testing.T) {
	t.Parallel()
	const n = 1000
	least := map[string]int64{"branch": n - 50, "call": 3*n - 50, "joins": 90} // the callee pays for n
	sets, gets := "", ""
	for i := range n {
		sets += "\x23\x00\x21" + short(i)
		gets += "\x20" + short(i) + "\x1a"
	}
	push, drop := strings.Repeat("\x23\x00", n), strings.Repeat("\x1a", n)
	for name, code := range map[string][2]string{ // with and without moves
		"branch": {push + "\x02\x01\x0c\x00\x0b" + drop, push + "\x02\x40\x0c\x00\x0b" + drop},
		"call":   {push + "\x10\x01" + drop, push + "\x10\x02" + drop},
		"joins":  {arm(sets) + arm(gets), arm(sets) + arm(push+drop)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dear, cheap := fuelOf(t, moving(n, code[0])), fuelOf(t, moving(n, code[1]))
			if dear-cheap < least[name] {
				t.Errorf("costs %d, and %d without moving %d values; want at least %d more", dear, cheap, n, least[name])
			}
		})
	}
}

// arm is unreachable code.
func arm(code string) string { return "\x41\x00\x04\x40" + code + "\x0b" }

// moving is a module with functions 0, "f", of the given code and with n locals, 1 that takes
// and returns n values, and 2 that does neither; a global; and type 1 that of 1.
func moving(n int, code string) string {
	section := func(id byte, content string) string { return string(id) + short(len(content)) + content }
	many := short(n) + strings.Repeat("\x7e", n)
	body := "\x01" + short(n) + "\x7e" + code + "\x0b"
	pass := "\x00"
	for i := range n {
		pass += "\x20" + short(i)
	}
	pass += "\x0b"
	return empty + section(1, "\x02\x60\x00\x00\x60"+many+many) + section(3, "\x03\x00\x01\x00") + section(6, "\x01\x7e\x01\x42\x05\x0b") +
		section(7, "\x01\x01f\x00\x00") + section(10, "\x03"+short(len(body))+body+short(len(pass))+pass+"\x02\x00\x0b")
}

// fuelOf is the fuel of one call of f.
func fuelOf(t *testing.T, wasm string) int64 {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	defer func() { _ = r.Close(ctx) }() // nothing to lose
	m := &meter{slice: 20000}
	m.link(t, r)
	result, err := wasmbin.Rewrite([]byte(wasm), options)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, result.Wasm)
	if err != nil {
		t.Fatal(err)
	}
	m.adopt(mod)
	if _, err := mod.ExportedFunction("f").Call(ctx); err != nil {
		t.Fatal(err)
	}
	return m.used()
}
