package kernel

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

const (
	// mostSlice and leastSlice bound the slice: a guest's fuel between two looks at the clock,
	// so that neither the deadline nor the collector, which needs guests to come back to Go,
	// waits long. The first one is mostSlice, and most calls never use it up; then a slice
	// longer than sliceTime halves the next, one shorter than half of it doubles it. The
	// slowest code known, reads missing every cache, takes 2 ms for mostSlice, once, and 0.2 ms
	// for leastSlice. A call's total does not depend on slices.
	mostSlice  = 160000
	leastSlice = 15000
	sliceTime  = 30 * time.Microsecond
	// yieldAfter is how long a call runs before it lets others run.
	yieldAfter = 200 * time.Microsecond
)

// meter holds a guest's limits: fuel and time. The clock is first read at the end of the first
// slice, since most calls end before; the time counts from then.
type meter struct {
	fuel     api.MutableGlobal // the guest's rest of its slice; bound at the first use
	stack    api.MutableGlobal // the bytes of stack it has left
	failed   bool              // the last call, so the guest did not give its stack back
	total    int64
	left     int64 // not handed out yet
	timeout  time.Duration
	slice    int64     // the guest's next slice
	started  time.Time // zero until the clock is looked at
	looked   time.Time // the beginning of the current slice
	turn     time.Time // when others last ran
	deadline time.Time
	callers  bool // the deadline is the caller's, not ours
}

// Allow begins work with factor times the fuel and the time of a call.
func (k *Kernel) Allow(factor int64) {
	k.total = factor * k.limits.Fuel
	k.left = k.total
	k.timeout = time.Duration(factor) * k.limits.Timeout
	k.started = time.Time{}
	k.slice = mostSlice
}

// Start begins a call: it hands out the first of its fuel, and all of the stack.
// config answers config_get; nil has no keys.
func (k *Kernel) Start(config func(key string) (string, bool)) {
	k.config, k.called = config, true
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

// End ends a call with error err, and returns the final error: a call that returned may owe
// more fuel than there was.
func (k *Kernel) End(err error) error {
	k.running.Context = nil
	if err == nil && k.overdrawn() {
		err = k.spent()
	}
	k.failed = err != nil
	return err
}

// Used returns the fuel used since allow, at most all of it.
func (m *meter) Used() int64 {
	have := int64(0)
	if m.fuel != nil {
		have = int64(m.fuel.Get())
	}
	return min(m.total-m.left-have, m.total)
}

// bind looks up the guest's fuel and stack. It is false for a guest without them, which exists
// only in measurements.
func (m *meter) bind(guest api.Module) bool {
	if m.fuel == nil {
		m.fuel, _ = guest.ExportedGlobal(wasmbin.FuelGlobal).(api.MutableGlobal)
		m.stack, _ = guest.ExportedGlobal(wasmbin.StackGlobal).(api.MutableGlobal)
	}
	return m.fuel != nil
}

// charge takes fuel for the host's work for the guest, before it is done.
func (k *Kernel) charge(guest api.Module, cost int64) {
	if !k.bind(guest) {
		return
	}
	have := int64(k.fuel.Get()) - cost
	k.fuel.Set(uint64(have))
	if have < 0 {
		k.fuel.Set(uint64(k.refill(have)))
	}
}

// refill returns the next fuel of a guest in debt, or ends it by a trap.
func (k *Kernel) refill(have int64) int64 {
	k.look()
	grant := min(k.slice-have, k.left)
	if have+grant < 0 {
		panic(k.spent())
	}
	k.left -= grant
	return have + grant
}

// overdrawn reports whether a returned guest owes more than there was: it need not ask for fuel
// between its last charge and its end.
func (m *meter) overdrawn() bool { return m.fuel != nil && int64(m.fuel.Get())+m.left < 0 }

func (m *meter) spent() *Trap {
	return &Trap{Kind: KindFuel, Limit: "fuel", Message: fmt.Sprintf("the module used more than %d units of fuel", m.total)}
}

// look ends the guest when its time is up or its caller gave up, and lets others
// run when it has had a processor for long.
func (k *Kernel) look() {
	ctx := k.running.Context
	if err := ctx.Err(); err != nil {
		panic(Cancelled(err))
	}
	now := time.Now()
	if !k.started.IsZero() {
		k.pace(now.Sub(k.looked))
	}
	k.looked = now
	switch {
	case k.started.IsZero():
		k.started, k.turn, k.deadline, k.callers = now, now, now.Add(k.timeout), false
		if limit, ok := ctx.Deadline(); ok && limit.Before(k.deadline) {
			k.deadline, k.callers = limit, true
		}
	case now.After(k.deadline):
		t := Cancelled(context.DeadlineExceeded)
		if !k.callers {
			t.Limit = "timeout"
			t.Message = fmt.Sprintf("%s: more than %v", t.Message, k.timeout)
		}
		panic(t)
	case now.Sub(k.turn) > yieldAfter:
		k.yield(now)
	}
}

// yield lets others run. Their time is not the guest's: with many calls at once
// a second on the clock can be a hundredth of one for each.
func (k *Kernel) yield(now time.Time) {
	if k.unpin != nil {
		k.unpin() // who waits for a turn would keep the thread from others
	}
	runtime.Gosched()
	k.looked = time.Now()
	k.turn = k.looked
	if !k.callers {
		k.deadline = k.deadline.Add(k.looked.Sub(now))
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

// linkFuel provides the imports called by a guest at the end of its fuel or its stack. wazero's
// own deadline is not used: it is checked only in loops, is several times slower, and a guest
// escaping it freezes the process.
func linkFuel(ctx context.Context, r wazero.Runtime) error {
	_, err := r.NewHostModuleBuilder(wasmbin.FuelModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(refill), sig(i64), sig(i64)).Export(wasmbin.RefillName).
		NewFunctionBuilder().
		WithGoFunction(api.GoFunc(overflow), nil, nil).Export(wasmbin.OverflowName).
		Instantiate(ctx)
	return err
}

// refill lets a guest go on, or ends it by a trap. The guest passes its debt, less than
// nothing; the new fuel pays it, so a call's Used is the fuel handed out less the rest.
func refill(ctx context.Context, stack []uint64) {
	stack[0] = uint64(kernelOf(ctx).refill(int64(stack[0])))
}

// overflow ends a guest with too deep calls.
func overflow(ctx context.Context, _ []uint64) {
	panic(&Trap{Kind: KindStack, Limit: "stack_kib", Message: fmt.Sprintf("the module calls too deep: more than %d KiB of stack", kernelOf(ctx).limits.StackBytes>>10)})
}
