package kernel

import (
	"encoding/binary"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// hostMemory is the Go side of a kernel's memory: its control block, the arena and the handles.
// kernel.wat describes their layout and invariants.
type hostMemory struct {
	bytes  []byte
	region *memory.Region
	table  uint64 // address of the handles
	most   uint64 // the largest top
	soft   uint64 // the top usable without a request
}

// The layout of the control block. Source: kernel.wat.
const (
	atTop          = 0
	atFloor        = 8
	atLimit        = 16
	atTable        = 24
	atInput        = 32
	atInputLength  = 40
	atOutput       = 48
	atOutputLength = 56
	atError        = 64
	atErrorLength  = 72
	arenaAt        = 128
	// arenaBase is the first offset handed out: 0 means "none".
	arenaBase = 8
)

const (
	// arenaSoft is the part of each arena usable without a request.
	arenaSoft = 256 << 10
	// arenaKeep is how much of the arena, and of the handles, is cleared between calls; the
	// rest is returned to the system.
	arenaKeep = 256 << 10
)

// arrange lays out a memory for an arena of at most size bytes, and returns its total size in
// bytes.
func (m *hostMemory) arrange(size int) uint64 {
	m.most = arenaBase + uint64(size)&^7
	m.soft = min(m.most, arenaSoft)
	m.table = inPages(arenaAt+m.most) * memory.PageSize
	return inPages(m.table+m.most/2+4) * memory.PageSize
}

func inPages(bytes uint64) uint64 { return (bytes + memory.PageSize - 1) / memory.PageSize }

func (m *hostMemory) get(at int) uint64 { return binary.LittleEndian.Uint64(m.bytes[at:]) }

func (m *hostMemory) set(at int, v uint64) { binary.LittleEndian.PutUint64(m.bytes[at:], v) }

// reset frees everything, and makes all of it zeros again.
func (m *hostMemory) reset() {
	top := m.get(atTop)
	m.wipe(0, arenaAt+top)
	m.wipe(m.table, m.table+top/2)
	m.set(atTop, arenaBase)
	m.set(atFloor, arenaBase)
	m.set(atLimit, m.soft)
	m.set(atTable, m.table)
}

// wipe clears the bytes from a page's beginning on; many of them by giving them
// back.
func (m *hostMemory) wipe(from, to uint64) {
	keep := min(to, from+arenaKeep)
	clear(m.bytes[from:keep])
	if keep < to {
		page := uint64(memory.SystemPage)
		m.region.Discard(int(keep), int((to+page-1)/page*page))
	}
}

// trimmed is how much of the arena, and of the handles, stays when an instance
// has had nothing to do for a while.
const trimmed = 16 << 10

// Trim returns the memory left by large calls. Nothing may be in use.
func (k *Kernel) Trim() {
	m := &k.memory
	m.region.Discard(trimmed, int(m.table))
	m.region.Discard(int(m.table)+trimmed, len(m.bytes))
}

// view returns the size bytes at offset, and false when they are not all in use.
func (m *hostMemory) view(offset, size uint64) ([]byte, bool) {
	floor, top := m.get(atFloor), m.get(atTop)
	if offset < floor || offset > top || size > top-offset {
		return nil, false
	}
	return m.bytes[arenaAt+offset:][:size], true
}

// block returns the live block beginning at offset.
func (m *hostMemory) block(offset uint64) ([]byte, bool) {
	if offset%8 != 0 || offset < m.get(atFloor) || offset >= m.get(atTop) {
		return nil, false
	}
	size := binary.LittleEndian.Uint32(m.bytes[m.table+offset/2:])
	if size == 0 {
		return nil, false
	}
	return m.view(offset, uint64(size))
}

// put makes a block of data at the top, as the guest's alloc would. The room is
// there.
func (m *hostMemory) put(data []byte) uint64 {
	at := m.get(atTop)
	binary.LittleEndian.PutUint32(m.bytes[m.table+at/2:], uint32(len(data)))
	copy(m.bytes[arenaAt+at:], data)
	m.set(atTop, m.after(len(data)))
	return at
}

// after is where the top is with a block of size bytes more.
func (m *hostMemory) after(size int) uint64 { return (m.get(atTop) + uint64(size) + 7) &^ 7 }
