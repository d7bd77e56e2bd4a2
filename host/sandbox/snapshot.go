package sandbox

import (
	"bytes"
	"slices"

	"github.com/callgate/callgate/host/sandbox/internal/kernel"
	"github.com/callgate/callgate/host/sandbox/internal/memory"
)

// state is all that a call can change in an instance, copied: the bytes of its
// memory and its mutable globals.
type state struct {
	memory  []byte
	globals []uint64
	// steps are the examples that led there from what the module was initialised
	// to.
	steps []Example
}

// read makes s what the instance is now, after some steps.
func (s *state) read(inst *instance, steps ...Example) {
	s.steps = steps
	s.memory = append(s.memory[:0], inst.view()...)
	s.globals = inst.values(s.globals[:0])
}

// snapshot is the state that the instances of a module share.
type snapshot struct {
	*memory.Image
	globals []uint64
	steps   []Example
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

// write makes the instance what s is; false when it could not. The instance
// stays where it was made: this is for the one that is warmed up.
func (inst *instance) write(s *state) bool {
	if !inst.keeper.back() || !inst.resize(len(s.memory)) {
		return false
	}
	memory.CopyBack(inst.view(), s.memory)
	inst.set(s.globals)
	return true
}

// resize undoes what the memory grew beyond size bytes, and reports whether the
// memory is that large now.
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

// watch begins a call that restore will undo. Page faults tell what it wrote
// only if the instance is pristine now.
func (inst *instance) watch() {
	if inst.memory.Mode() != memory.Untracked && !inst.touched {
		inst.faults.Begin()
	}
}

// restore puts the instance back to its snapshot after a call, however that
// ended, and reports whether it could. What cannot be put back: a guest that is
// closed, a table that grew, and a memory that grew where it cannot be made small
// again.
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

// trim gives the system what the instance has of its own, if that is more than
// most bytes.
func (inst *instance) trim(most int) {
	if inst.memory.Region != nil && inst.memory.Image() != nil && inst.memory.Private() > most {
		inst.memory.Remap()
	}
	inst.kernel.Trim()
}

// keptPrivate is the memory of its own, in bytes, that an instance keeps when it
// has had nothing to do for a while. A page given back costs the next call a
// page fault, some microseconds, and calls come seconds apart; so this is what a
// guest written in Go writes to, and no more.
const keptPrivate = 320 << 10
