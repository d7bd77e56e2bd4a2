package codecache

import (
	"encoding/binary"
	"hash/crc32"
)

// engineMagic begins the engine's compiled form of a module.
const engineMagic = "WAZEVO"

// CheckCode checks that code from another process, for a module with so many functions, has the
// form the engine reads: the engine trusts lengths and places in its files. Source: wazero
// v1.12.0, internal/engine/wazevo/engine_cache.go.
func CheckCode(code []byte, functions int) error {
	f := &form{rest: code}
	if string(f.bytes(uint64(len(engineMagic)))) != engineMagic {
		return errForm
	}
	f.bytes(uint64(f.byte())) // the engine's version, compared by the engine
	if uint64(f.u32()) != uint64(functions) {
		return errForm
	}
	starts := f.bytes(8 * uint64(functions))
	native := f.bytes(f.u64())
	if len(native) > 0 && f.u32() != crc32.Checksum(native, castagnoli) {
		return errForm
	}
	f.within(starts, 8, len(native))
	if f.byte() == 1 { // places in the module, and in the code
		f.within(f.bytes(16*f.atMost(f.u64(), 16)), 16, len(native))
	}
	for range f.atMost(uint64(f.u32()), 4) { // exceptions, and the clauses of each
		f.bytes(5 * uint64(f.u32()))
	}
	if f.bad || len(f.rest) > 0 {
		return errForm
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// form reads a fixed form; once something is missing, all is empty.
type form struct {
	rest []byte
	bad  bool
}

func (f *form) bytes(n uint64) []byte {
	if f.bad = f.bad || n > uint64(len(f.rest)); f.bad {
		return nil
	}
	got := f.rest[:n]
	f.rest = f.rest[n:]
	return got
}

// atMost is n, if the rest has room for so many of that size.
func (f *form) atMost(n, size uint64) uint64 {
	if f.bad = f.bad || n > uint64(len(f.rest))/size; f.bad {
		return 0
	}
	return n
}

// within checks that the last 8 bytes of each record of that size, starts in the code, are
// below most.
func (f *form) within(records []byte, size, most int) {
	for ; len(records) >= size; records = records[size:] {
		f.bad = f.bad || binary.LittleEndian.Uint64(records[size-8:]) >= uint64(most)
	}
}

func (f *form) byte() byte {
	if b := f.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *form) u32() uint32 {
	if b := f.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (f *form) u64() uint64 {
	if b := f.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
