package sandbox

import (
	"bytes"
	"slices"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// state is a copy of everything a call can change in an instance: the bytes of its memory and
// its mutable globals.
type state struct {
	memory  []byte
	globals []uint64
	// free gives the memory back; nil where Go's collector does.
	free func()
}

// drop ends the use of the state.
func (s *state) drop() {
	if s.free != nil {
		s.free()
	}
}

// read sets s to the instance's current state.
func (s *state) read(inst *instance) {
	s.memory = append(s.memory[:0], inst.view()...)
	s.globals = inst.values(s.globals[:0])
}

// snapshot is the state shared by the instances of a module.
type snapshot struct {
	*memory.Image
	globals []uint64
}

// is tells whether the instance is in the state of the snapshot.
func (inst *instance) is(s *snapshot) bool {
	return bytes.Equal(inst.view(), s.Bytes()) && slices.Equal(inst.values(nil), s.globals)
}

// values appends the values of the mutable globals.
func (inst *instance) values(dst []uint64) []uint64 {
	for _, g := range inst.globals {
		dst = append(dst, g.Get())
	}
	return dst
}

// view is the guest's whole memory, not a copy; nil when it has none.
func (inst *instance) view() []byte {
	if inst.memory.Region == nil {
		return nil
	}
	return inst.memory.Bytes()[:inst.linear.Size()]
}

// resize undoes the memory's growth beyond size bytes, and reports whether the memory is that
// large now.
func (inst *instance) resize(size int) bool {
	if inst.memory.Region == nil {
		return size == 0
	}
	have := int(inst.linear.Size())
	if have == size {
		return true
	}
	if have < size || !memory.Shrink(inst.linear, uint32(size/PageSize)) {
		return false
	}
	inst.memory.Discard(size, have)
	inst.memory.Refund(uint64(size))
	return true
}

func (inst *instance) set(globals []uint64) {
	for i, g := range inst.globals {
		g.Set(globals[i])
	}
}

// adopt turns an instance into a copy of the snapshot.
func (inst *instance) adopt(s *snapshot) error {
	if inst.memory.Region != nil {
		if short := inst.memory.Charge(uint64(len(s.Bytes()))); short != nil {
			return short
		}
		missing := len(s.Bytes()) - int(inst.linear.Size())
		if _, ok := inst.linear.Grow(uint32(max(missing, 0) / PageSize)); !ok || missing < 0 {
			return &kernel.Trap{Kind: KindMemory, Message: "no memory for another instance"}
		}
		inst.memory.Adopt(s.Image, inst.tracking)
	}
	inst.pristine = s.globals
	inst.restorable, inst.touched = true, false
	inst.set(s.globals)
	return nil
}

// watch begins a call for restore to undo. Page faults show its writes only if the instance is
// pristine now.
func (inst *instance) watch() {
	if inst.memory.Mode() != memory.Untracked && !inst.touched {
		inst.faults.Begin()
	}
}

// restore restores the instance to its snapshot after a call, even a failed one, and reports
// whether it could. It cannot for a closed guest, a grown table, and a grown memory without a
// way to shrink it.
func (inst *instance) restore() bool {
	quiet := inst.faults.End()
	if !inst.restorable || inst.guest.IsClosed() || !inst.keeper.back() {
		return false
	}
	if inst.memory.Region != nil {
		if !inst.resize(len(inst.memory.Image().Bytes())) {
			return false
		}
		inst.memory.Restore(quiet)
	}
	inst.set(inst.pristine)
	inst.kernel.Reset()
	inst.touched = false
	return true
}

// trim returns the instance's own memory to the system, if it is more than most bytes.
func (inst *instance) trim(most int) {
	if inst.memory.Region != nil && inst.memory.Image() != nil && inst.memory.Private() > most {
		inst.memory.Remap()
	}
	inst.kernel.Trim()
}

// keptPrivate is an idle instance's own memory after a while, in bytes. A page given back costs
// the next call a page fault, some microseconds, and calls come seconds apart; so this covers
// the writes of a guest in Go, and no more.
const keptPrivate = 320 << 10
