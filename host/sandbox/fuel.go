package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

const (
	// mostSlice and leastSlice bound the slice: how much fuel a guest gets before
	// the clock is looked at again, so that neither the deadline nor the collector,
	// which needs guests to come back to Go, waits long. The first one is mostSlice,
	// which most calls never use up; then a slice that took longer than sliceTime
	// halves the next, one that took less than half of it doubles it. The slowest
	// code known, reads that miss every cache, takes 2 ms for mostSlice, once, and
	// 0.2 ms for leastSlice. What a call uses does not depend on slices.
	mostSlice  = 160000
	leastSlice = 15000
	sliceTime  = 30 * time.Microsecond
	// yieldAfter is how long a call runs before it lets others run at each slice.
	yieldAfter = 200 * time.Microsecond
)

// meter is what a guest may use: so much fuel altogether, and so much time. The
// clock is first looked at when the first slice is used up, since most calls end
// before that; the time counts from then.
type meter struct {
	fuel     api.MutableGlobal // what the guest has of its slice; bound at the first use
	stack    api.MutableGlobal // the bytes of stack it has left
	failed   bool              // the last call, so the guest did not give its stack back
	total    int64
	left     int64 // not handed out yet
	timeout  time.Duration
	slice    int64     // what the guest gets next
	started  time.Time // zero until the clock is looked at
	looked   time.Time // when the slice that runs began
	deadline time.Time
	callers  bool // the deadline is the caller's, not ours
}

// allow begins what may take factor times the fuel and the time of a call.
func (k *kernel) allow(factor int64) {
	k.total = factor * k.limits.Fuel
	k.left = k.total
	k.timeout = time.Duration(factor) * k.limits.Timeout
	k.started = time.Time{}
	k.slice = mostSlice
}

// start hands out the first of the fuel, and all of the stack.
func (k *kernel) start() {
	if k.fuel == nil {
		return
	}
	n := min(k.slice, k.left)
	k.left -= n
	k.fuel.Set(uint64(n))
	if k.failed {
		k.failed = false
		k.stack.Set(uint64(k.limits.StackBytes))
	}
}

// used returns the fuel that was used since allow, at most all of it.
func (m *meter) used() int64 {
	have := int64(0)
	if m.fuel != nil {
		have = int64(m.fuel.Get())
	}
	return min(m.total-m.left-have, m.total)
}

// bind makes the guest's fuel and stack known. It is false for a guest that has
// none, which only measuring makes.
func (m *meter) bind(guest api.Module) bool {
	if m.fuel == nil {
		m.fuel, _ = guest.ExportedGlobal(wasmbin.FuelGlobal).(api.MutableGlobal)
		m.stack, _ = guest.ExportedGlobal(wasmbin.StackGlobal).(api.MutableGlobal)
	}
	return m.fuel != nil
}

// charge takes fuel for work that the host does for the guest, before it is done.
func (k *kernel) charge(guest api.Module, cost int64) {
	if !k.bind(guest) {
		return
	}
	have := int64(k.fuel.Get()) - cost
	k.fuel.Set(uint64(have))
	if have < 0 {
		k.fuel.Set(uint64(k.refill(have)))
	}
}

// refill returns what a guest that owes fuel goes on with, or ends it by a trap.
func (k *kernel) refill(have int64) int64 {
	k.look()
	grant := min(k.slice-have, k.left)
	if have+grant < 0 {
		panic(k.spent())
	}
	k.left -= grant
	return have + grant
}

// overdrawn tells whether a guest that returned owes more than there was: it
// need not ask for fuel between its last charge and its end.
func (m *meter) overdrawn() bool { return m.fuel != nil && int64(m.fuel.Get())+m.left < 0 }

func (m *meter) spent() *trap {
	return &trap{kind: KindFuel, limit: "fuel", message: fmt.Sprintf("the module used more than %d units of fuel", m.total)}
}

// look ends the guest when its time is up or its caller gave up, and lets others
// run when it has had a processor for long.
func (k *kernel) look() {
	ctx := k.running.Context
	if err := ctx.Err(); err != nil {
		panic(cancelled(err))
	}
	now := time.Now()
	if !k.started.IsZero() {
		k.pace(now.Sub(k.looked))
	}
	k.looked = now
	switch {
	case k.started.IsZero():
		k.started, k.deadline, k.callers = now, now.Add(k.timeout), false
		if limit, ok := ctx.Deadline(); ok && limit.Before(k.deadline) {
			k.deadline, k.callers = limit, true
		}
	case now.After(k.deadline):
		t := cancelled(context.DeadlineExceeded)
		if !k.callers {
			t.limit = "timeout"
			t.message = fmt.Sprintf("%s: more than %v", t.message, k.timeout)
		}
		panic(t)
	case now.Sub(k.started) > yieldAfter:
		if k.unpin != nil {
			k.unpin() // who waits for a turn would keep the thread from others
		}
		runtime.Gosched()
		k.looked = time.Now() // the others' time is not the guest's
	}
}

// pace fits the next slice to how long the last one took.
func (m *meter) pace(took time.Duration) {
	switch {
	case took > sliceTime:
		m.slice = max(m.slice/2, leastSlice)
	case took < sliceTime/2:
		m.slice = min(2*m.slice, mostSlice)
	}
}

// linkFuel makes the imports available that a guest calls when its fuel or its
// stack is used up. wazero's own deadline is not used: it is looked at only in
// loops, is several times slower, and a guest that escapes it freezes the process.
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
	stack[0] = uint64(kernelOf(ctx).refill(int64(stack[0])))
}

// overflow ends a guest that calls too deep.
func overflow(ctx context.Context, _ []uint64) {
	panic(&trap{kind: KindStack, limit: "stack_kib", message: fmt.Sprintf("the module calls too deep: more than %d KiB of stack", kernelOf(ctx).limits.StackBytes>>10)})
}

func cancelled(cause error) *trap {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &trap{kind: KindTimeout, message: "the module took too long", cause: cause}
	}
	return &trap{kind: KindCancelled, message: "the caller gave up", cause: cause}
}
