package sandbox

import (
	"runtime"

	"github.com/tetratelabs/wazero/experimental"
)

// region is the linear memory of one instance or kernel: a range of addresses
// that never moves, of which only what is touched takes memory. Its bytes begin
// as zeros. One goroutine at a time uses it.
//
// A memory that stays in place is what lets the host hold on to views of it and
// put it back from outside: compiled code keeps the address in a register.
type region struct {
	all     []byte
	charged uint64 // bytes that the budget counts
	budget  *budget
	cleanup runtime.Cleanup
}

// reserve returns a region that can grow to most bytes, counted by b as it
// grows; without b by nobody. It is nil when there are no addresses for it.
func reserve(most uint64, b *budget) *region {
	if most == 0 || most > maxRegion {
		return nil
	}
	all := mapRange(int(most))
	if all == nil {
		return nil
	}
	r := &region{all: all, budget: b}
	// For what ends without a release.
	r.cleanup = runtime.AddCleanup(r, unmapRange, all)
	return r
}

// maxRegion is the largest memory of 32-bit WebAssembly.
const maxRegion = 1 << 32

// allocator gives the region to the next memory that wazero makes.
func (r *region) allocator() experimental.MemoryAllocator {
	return experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return r })
}

// Reallocate implements experimental.LinearMemory. More than was reserved is
// refused, which the guest sees as a memory.grow that failed. More than all
// modules may have together ends the call: what a guest answers must not depend
// on its neighbours.
func (r *region) Reallocate(size uint64) []byte {
	if size > uint64(len(r.all)) {
		return nil
	}
	if t := r.charge(size); t != nil {
		panic(t)
	}
	return r.all[:size]
}

// charge makes sure that size bytes are counted, before they are used. Whoever
// grows a memory from outside a guest calls it first: nothing there would catch
// the panic of Reallocate.
func (r *region) charge(size uint64) *trap {
	if size <= r.charged {
		return nil
	}
	if !r.budget.take(int64(size - r.charged)) {
		return r.budget.refusal(size - r.charged)
	}
	r.charged = size
	return nil
}

// refund takes back what charge counted beyond size bytes, which is all that
// the region has from now on.
func (r *region) refund(size uint64) {
	if size < r.charged {
		r.budget.give(int64(r.charged - size))
		r.charged = size
	}
}

// discard gives the memory of a range of whole system pages back to the system.
// The range reads as zeros afterwards.
func (r *region) discard(from, to int) {
	if from < to {
		discardRange(r.all[from:to])
	}
}

// Free implements experimental.LinearMemory. It does nothing: wazero calls it
// while the guest that exits is still on the stack. See release.
func (r *region) Free() {}

// release gives the addresses back. Nobody may run in the region or hold a view
// of it.
func (r *region) release() {
	if r.all == nil {
		return
	}
	r.cleanup.Stop()
	r.refund(0)
	unmapRange(r.all)
	r.all = nil
}
