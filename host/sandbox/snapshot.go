package sandbox

import (
	"slices"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// snapshot is all that a call can change in an instance: the bytes of its
// memory and its mutable globals. Instances of one module share it.
type snapshot struct {
	memory  image
	globals []uint64
}

// take copies the state of an instance.
func (inst *instance) snapshot() *snapshot {
	s := &snapshot{memory: image{bytes: slices.Clone(inst.memory())}}
	for _, g := range inst.globals {
		s.globals = append(s.globals, g.Get())
	}
	return s
}

// memory is the guest's whole memory, not a copy; nil when it has none.
func (inst *instance) memory() []byte {
	if !inst.binary.Memory {
		return nil
	}
	memory := inst.guest.Memory()
	view, _ := memory.Read(0, memory.Size()) // all of it is in range
	return view
}

// restore puts the instance back to its snapshot, and reports whether it could.
// A memory that has grown cannot shrink again.
func (inst *instance) restore() bool {
	if inst.pristine == nil {
		return false
	}
	memory, image := inst.memory(), &inst.pristine.memory
	if len(memory) != len(image.bytes) {
		return false
	}
	if !inst.tracked || !inst.tracker.restore(image) {
		copy(memory, image.bytes)
	}
	for i, g := range inst.globals {
		g.Set(inst.pristine.globals[i])
	}
	inst.kernel.reset()
	return true
}

// adopt turns a new instance, not yet initialised, into a copy of the snapshot.
func (inst *instance) adopt(s *snapshot) bool {
	inst.pristine = s
	if missing := len(s.memory.bytes) - len(inst.memory()); missing > 0 {
		if _, ok := inst.guest.Memory().Grow(uint32(missing / PageSize)); !ok {
			return false
		}
	}
	inst.tracked = inst.tracker != nil && inst.tracker.adopt(&s.memory)
	return inst.restore()
}

// bind looks up what restore needs.
func (inst *instance) bind() {
	for _, name := range inst.binary.Globals {
		inst.globals = append(inst.globals, mutable(inst.guest, name))
	}
	inst.fuel = mutable(inst.guest, wasmbin.FuelGlobal)
}
