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

// linkFuel makes the import available that a guest calls when its fuel is used
// up. wazero's own deadline is not used: it is looked at only in loops, is
// several times slower, and a guest that escapes it freezes the process.
func linkFuel(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(wasmbin.FuelModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(refill), nil, sig(i64)).Export(wasmbin.FuelName).
		Instantiate(ctx)
	return err
}

// refill lets a guest go on, or ends it by a trap.
func refill(ctx context.Context, stack []uint64) {
	if err := ctx.Err(); err != nil {
		panic(cancelled(err))
	}
	k := kernelOf(ctx)
	if time.Now().After(k.deadline) {
		panic(cancelled(context.DeadlineExceeded))
	}
	k.spent += fuelSlice
	stack[0] = fuelSlice
}

func cancelled(cause error) *trap {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &trap{KindTimeout, "the module took too long", cause}
	}
	return &trap{KindCancelled, "the caller gave up", cause}
}
