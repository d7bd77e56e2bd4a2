package memory

import (
	"runtime"
	"unsafe"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Region is the linear memory of one instance or kernel: a fixed range of addresses, taking
// memory only where touched. Its bytes begin as zeros. One goroutine at a time uses it.
//
// Its fixed place lets the host keep views of it and restore it from outside: compiled code
// keeps the address in a register.
type Region struct {
	all     []byte
	charged uint64 // bytes counted by the budget
	budget  *Budget
	cleanup runtime.Cleanup
}

// Reserve returns a region able to grow to most bytes, counted by b as it grows; without b
// uncounted. It is nil when there are no addresses for it.
func Reserve(most uint64, b *Budget) *Region {
	if most == 0 || most > maxRegion {
		return nil
	}
	all := mapRange(int(most))
	if all == nil {
		return nil
	}
	r := &Region{all: all, budget: b}
	// For regions never released.
	r.cleanup = runtime.AddCleanup(r, unmapRange, all)
	return r
}

// maxRegion is the largest memory of 32-bit WebAssembly.
const maxRegion = 1 << 32

// Allocator gives the region to wazero's next memory.
func (r *Region) Allocator() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return r })
}

// Bytes is the whole reserved range, used or not. It is valid until Release.
func (r *Region) Bytes() []byte { return r.all }

// Holds tells whether a memory of wazero's lies in the region.
func (r *Region) Holds(linear api.Memory) bool {
	if linear == nil {
		return false
	}
	view, ok := linear.Read(0, linear.Size())
	return ok && (len(view) == 0 || unsafe.SliceData(view) == unsafe.SliceData(r.all))
}

// Reallocate implements experimental.LinearMemory. More than reserved is refused, a failed
// memory.grow for the guest. More than all modules may have together ends the call, by a panic
// with a *Short, returned by wazero as the call's error: a guest's answers must not depend on
// its neighbours.
func (r *Region) Reallocate(size uint64) []byte {
	if size > uint64(len(r.all)) {
		return nil
	}
	if short := r.Charge(size); short != nil {
		panic(short)
	}
	return r.all[:size]
}

// Charge counts size bytes before their use. Growing a memory from outside a guest needs it
// first: nothing there would catch the panic of Reallocate.
func (r *Region) Charge(size uint64) *Short {
	if size <= r.charged {
		return nil
	}
	if short := r.budget.Take(int64(size - r.charged)); short != nil {
		return short
	}
	r.charged = size
	return nil
}

// Refund reverts Charge beyond size bytes, the region's total from now on.
func (r *Region) Refund(size uint64) {
	if size < r.charged {
		r.budget.Give(int64(r.charged - size))
		r.charged = size
	}
}

// Discard gives the memory of a range of whole system pages back to the system.
// The range reads as zeros afterwards.
func (r *Region) Discard(from, to int) {
	if from < to && !discardRange(r.all[from:to]) {
		clear(r.all[from:to])
	}
}

// Free implements experimental.LinearMemory. It does nothing: wazero calls it while the exiting
// guest is still on the stack. See Release.
func (r *Region) Free() {}

// Release gives the addresses back. No guest may run in the region and no view of it may
// remain.
func (r *Region) Release() {
	if r.all == nil {
		return
	}
	r.cleanup.Stop()
	r.Refund(0)
	unmapRange(r.all)
	r.all = nil
}
