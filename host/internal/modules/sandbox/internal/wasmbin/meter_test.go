package wasmbin_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

var (
	errNoFuel  = errors.New("out of fuel")
	errNoStack = errors.New("stack overflow") // as the engine's own
)

// meter is the host's side of fuel and stack for all the instances of one
// runtime: it hands out fuel in slices of one size.
type meter struct {
	slice, limit int64 // limit 0 means none
	handed       int64
	overflows    int
	left         []api.Global
	stacks       []api.MutableGlobal
}

// stackBytes is the stack of each instance: enough for the deepest calls of the
// specification's tests and of generated modules.
const stackBytes = 8 << 20

// link makes the imports of rewritten modules available.
func (m *meter) link(tb testing.TB, r wazero.Runtime) {
	tb.Helper()
	_, err := r.NewHostModuleBuilder(wasmbin.FuelModule).
		NewFunctionBuilder().WithGoFunction(api.GoFunc(m.refill), []api.ValueType{api.ValueTypeI64}, []api.ValueType{api.ValueTypeI64}).Export(wasmbin.RefillName).
		NewFunctionBuilder().WithGoFunction(api.GoFunc(m.overflow), nil, nil).Export(wasmbin.OverflowName).
		Instantiate(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
}

func (m *meter) refill(_ context.Context, stack []uint64) {
	m.handed += m.slice - int64(stack[0])
	if m.limit > 0 && m.handed > m.limit {
		panic(errNoFuel)
	}
	stack[0] = uint64(m.slice)
}

func (m *meter) overflow(context.Context, []uint64) {
	m.overflows++
	panic(errNoStack)
}

// adopt counts an instance's fuel and stack from now on.
func (m *meter) adopt(mod api.Module) {
	m.left = append(m.left, mod.ExportedGlobal(wasmbin.FuelGlobal))
	m.stacks = append(m.stacks, mod.ExportedGlobal(wasmbin.StackGlobal).(api.MutableGlobal))
}

// used is the fuel used by all instances up to now; 0 without a meter.
func (m *meter) used() int64 {
	if m == nil {
		return 0
	}
	used := m.handed
	for _, g := range m.left {
		used -= int64(g.Get())
	}
	return used
}

// forget leaves the instances of before.
func (m *meter) forget() { *m = meter{slice: m.slice, limit: m.limit} }

// balance gives the whole stack back, as a host does after a failed call, and
// returns an error when it was not all there after a good one.
func (m *meter) balance(failed error) error {
	if m == nil {
		return failed
	}
	for _, g := range m.stacks {
		if left := g.Get(); left != stackBytes && failed == nil {
			return fmt.Errorf("%d bytes of stack after a call, %d before", left, stackBytes)
		}
		g.Set(stackBytes)
	}
	return failed
}

// class is the kind of trap an error tells of, without its stack trace; empty
// for none.
func class(err error) string {
	if err == nil {
		return ""
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	first = strings.TrimSuffix(first, " (recovered by wazero)")
	return strings.TrimPrefix(first, "wasm error: ")
}

// startClass is the class of a trap of a start function, else a refusal's words.
func startClass(err error) string {
	text := class(err)
	if _, trap, ok := strings.Cut(text, "wasm error: "); ok {
		return trap
	}
	return text
}
