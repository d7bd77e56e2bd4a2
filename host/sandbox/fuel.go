package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// fuelSlice is how much fuel a guest gets before the clock is looked at again:
// some ten microseconds' worth, so that neither the deadline nor the collector,
// which needs guests to come back to Go, waits long.
const fuelSlice = 10000

// linkFuel makes the imports available that a guest calls when its fuel or its
// stack is used up. wazero's own deadline is not used: it is looked at only in loops, is
// several times slower, and a guest that escapes it freezes the process.
func linkFuel(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(wasmbin.FuelModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(refill), sig(i64), sig(i64)).Export(wasmbin.RefillName).
		NewFunctionBuilder().
		WithGoFunction(api.GoFunc(overflow), nil, nil).Export(wasmbin.OverflowName).
		Instantiate(ctx)
	return err
}

// refill lets a guest go on, or ends it by a trap. The guest tells what it owes,
// less than nothing; the debt is paid with what it gets, so that what a call
// used is what was handed out less what is left.
func refill(ctx context.Context, stack []uint64) {
	if err := ctx.Err(); err != nil {
		panic(cancelled(err))
	}
	k := kernelOf(ctx)
	if time.Now().After(k.deadline) {
		panic(cancelled(context.DeadlineExceeded))
	}
	k.spent += fuelSlice - int64(stack[0])
	stack[0] = fuelSlice
}

// overflow ends a guest that calls too deep.
func overflow(context.Context, []uint64) {
	panic(&trap{kind: KindStack, message: "the module calls too deep"})
}

func cancelled(cause error) *trap {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &trap{KindTimeout, "the module took too long", cause}
	}
	return &trap{KindCancelled, "the caller gave up", cause}
}
