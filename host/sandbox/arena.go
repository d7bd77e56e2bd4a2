package sandbox

import "sort"

// arena is the host memory of the Extism ABI: bytes that the guest reaches only
// through offsets. Blocks are handed out upwards and an offset is never used
// twice in one call, so that the double frees some plug-in kits do are harmless.
// Offset 0 means "none"; the first arenaBase bytes are never handed out.
type arena struct {
	bytes  []byte // bytes[:top] are in use
	blocks []block
	limit  int // most bytes that may be in use
}

type block struct {
	offset, size uint64
	freed        bool
}

const (
	arenaBase = 8
	// maxBlocks caps the blocks of one call, so that a guest cannot fill the
	// host's memory with book-keeping.
	maxBlocks = 65536
	// keepArena is the largest buffer kept between calls.
	keepArena = 1 << 20
)

// reset frees everything. What the last call wrote is not readable afterwards:
// alloc clears what it hands out.
func (a *arena) reset() {
	if cap(a.bytes) > keepArena || cap(a.bytes) < arenaBase {
		a.bytes = make([]byte, arenaBase, 64<<10)
	}
	a.bytes = a.bytes[:arenaBase]
	if cap(a.blocks) > 1024 {
		a.blocks = nil
	}
	a.blocks = a.blocks[:0]
}

// alloc returns the offset of size new zero bytes; 0 when size is 0 or the
// limit is reached.
func (a *arena) alloc(size uint64) uint64 {
	if size == 0 || size > uint64(a.limit) || len(a.blocks) == maxBlocks {
		return 0
	}
	offset := len(a.bytes)
	end := (offset + int(size) + 7) &^ 7
	if end > a.limit+arenaBase {
		return 0
	}
	if end > cap(a.bytes) {
		grown := make([]byte, offset, min(max(end, 2*cap(a.bytes)), a.limit+arenaBase+8))
		copy(grown, a.bytes)
		a.bytes = grown
	}
	a.bytes = a.bytes[:end]
	clear(a.bytes[offset:end])
	a.blocks = append(a.blocks, block{offset: uint64(offset), size: size})
	return uint64(offset)
}

// put stores data in a new block.
func (a *arena) put(data []byte) (uint64, bool) {
	if len(data) == 0 {
		return 0, true
	}
	offset := a.alloc(uint64(len(data)))
	if offset == 0 {
		return 0, false
	}
	copy(a.bytes[offset:], data)
	return offset, true
}

// find returns the live block that begins at offset, or nil.
func (a *arena) find(offset uint64) *block {
	i := sort.Search(len(a.blocks), func(i int) bool { return a.blocks[i].offset >= offset })
	if i == len(a.blocks) || a.blocks[i].offset != offset || a.blocks[i].freed {
		return nil
	}
	return &a.blocks[i]
}

// length returns the size of the live block at offset, else 0.
func (a *arena) length(offset uint64) uint64 {
	if b := a.find(offset); b != nil {
		return b.size
	}
	return 0
}

// free ends a block's life; anything that is not a live block is ignored.
func (a *arena) free(offset uint64) {
	if b := a.find(offset); b != nil {
		b.freed = true
	}
}

// view returns the size bytes at offset, and false when they are not all
// inside the memory in use.
func (a *arena) view(offset, size uint64) ([]byte, bool) {
	top := uint64(len(a.bytes))
	if offset < arenaBase || offset > top || size > top-offset {
		return nil, false
	}
	return a.bytes[offset : offset+size], true
}

// text returns the block at offset as a cleaned line of at most limit bytes.
func (a *arena) text(offset uint64, limit int) string {
	b := a.find(offset)
	if b == nil {
		return ""
	}
	data, _ := a.view(b.offset, min(b.size, uint64(4*limit)))
	return Clean(string(data), limit)
}
