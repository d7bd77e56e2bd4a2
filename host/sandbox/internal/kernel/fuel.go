package kernel

import (
	"context"
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
	// yieldAfter is how long a call runs before it lets others run.
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
	turn     time.Time // when others last ran
	deadline time.Time
	callers  bool // the deadline is the caller's, not ours
}

// Allow begins what may take factor times the fuel and the time of a call.
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
	k.config = config
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

// End ends a call that came to err, and returns what it comes to: one that
// returned may owe more fuel than there was.
func (k *Kernel) End(err error) error {
	k.running.Context = nil
	if err == nil && k.overdrawn() {
		err = k.spent()
	}
	k.failed = err != nil
	return err
}

// Used returns the fuel that was used since allow, at most all of it.
func (m *meter) Used() int64 {
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

// refill returns what a guest that owes fuel goes on with, or ends it by a trap.
func (k *Kernel) refill(have int64) int64 {
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
// Used is what was handed out less what is left.
func refill(ctx context.Context, stack []uint64) {
	stack[0] = uint64(kernelOf(ctx).refill(int64(stack[0])))
}

// overflow ends a guest that calls too deep.
func overflow(ctx context.Context, _ []uint64) {
	panic(&Trap{Kind: KindStack, Limit: "stack_kib", Message: fmt.Sprintf("the module calls too deep: more than %d KiB of stack", kernelOf(ctx).limits.StackBytes>>10)})
}
