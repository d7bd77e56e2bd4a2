package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// Compiled is a cache with the code of the first-party modules, for tests independent of the
// compiler; the TestMain of the package fills it.
var Compiled string

// Held is an instance taken out of its pool, for tests of the parts of a call.
type Held struct {
	m    *Module
	inst *instance
}

// Hold takes an instance, or makes one.
func (m *Module) Hold(ctx context.Context) (*Held, error) {
	inst, err := m.take(ctx)
	if err != nil {
		return nil, err
	}
	return &Held{m, inst}, nil
}

// Release gives the instance back as after a call.
func (h *Held) Release(ctx context.Context) { h.m.pool.put(ctx, h.inst) }

// Call runs a verb and leaves the instance as the guest left it; only the
// host's side begins anew, or nothing could be called again.
func (h *Held) Call(ctx context.Context, dst []byte, export string, input []byte) ([]byte, error) {
	output, err := h.inst.call(ctx, dst, slices.Index(h.m.verbs, export), Request{Export: export, Input: input})
	h.inst.kernel.Reset()
	if err != nil {
		return nil, err
	}
	return output, nil
}

// CallRestored runs a verb and puts the instance back to its snapshot.
func (h *Held) CallRestored(ctx context.Context, dst []byte, export string, input []byte) ([]byte, error) {
	h.inst.watch()
	output, err := h.inst.call(ctx, dst, slices.Index(h.m.verbs, export), Request{Export: export, Input: input})
	if !h.inst.restore() {
		return nil, fmt.Errorf("%s: the instance could not be restored", h.m.name)
	}
	if err != nil {
		return nil, err
	}
	return output, nil
}

// Traced is the result of a call.
type Traced struct {
	Output string
	Fuel   int64
	After  uint32 // checksum of memory and globals when the verb returned
	Before uint32 // the same after restoring
}

// Trace runs a verb, restores, and returns all observable results.
func (h *Held) Trace(ctx context.Context, export string, input []byte) (Traced, error) {
	h.inst.watch()
	output, failure := h.inst.call(ctx, nil, slices.Index(h.m.verbs, export), Request{Export: export, Input: input})
	t := Traced{Output: string(output), Fuel: h.inst.kernel.Used(), After: h.checksum()}
	if !h.inst.restore() {
		return t, fmt.Errorf("%s: the instance could not be restored", h.m.name)
	}
	t.Before = h.checksum()
	if failure != nil {
		return t, failure
	}
	return t, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is fast, since it covers megabytes after each of many calls. Fuel is a global of its
// own and not among these.
func (h *Held) checksum() uint32 {
	sum := crc32.Checksum(h.inst.view(), castagnoli)
	for _, g := range h.inst.globals {
		sum = crc32.Update(sum, castagnoli, binary.LittleEndian.AppendUint64(nil, g.Get()))
	}
	return sum
}

// Raw calls a verb as wazero does it, without anything of ours before or after.
func (h *Held) Raw(ctx context.Context, export string, stack []uint64) error {
	return h.inst.verb(slices.Index(h.m.verbs, export)).CallWithStack(ctx, stack)
}

// Initialise makes an instance from nothing and throws it away.
func (m *Module) Initialise(ctx context.Context) error {
	inst, err := m.initialised(ctx)
	if err != nil {
		return err
	}
	inst.close(ctx)
	return nil
}

// Rest treats instances as the pool does after some idle seconds.
func (m *Module) Rest() {
	for range trimAfter {
		m.pool.tick()
	}
}

// Turns is how many more modules can be compiled now.
func (r *Runtime) Turns() int { return cap(r.compiler.slot) - len(r.compiler.slot) }
