package script

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxScript is Link's limit on a script, in bytes.
const MaxScript = 16 << 20

// scriptExport is the engine's global with the address of two uint32: the script's place in its
// memory, and its length. Source: sdk/typescript/engine/shim.c.
const scriptExport = "callgate_script"

// The ids of the sections read by Link. Source: WebAssembly core specification, binary format.
const (
	sectionImport    = 2
	sectionMemory    = 5
	sectionGlobal    = 6
	sectionExport    = 7
	sectionData      = 11
	sectionDataCount = 12
)

// The kinds of imports and exports.
const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
)

const (
	pageBytes = 1 << 16
	maxPages  = 1 << 16
	typeI32   = 0x7f
	opEnd     = 0x0b
	opI32     = 0x41
)

// Link returns the engine with the script js in it: js lies, with a zero byte behind it, at the
// end of the module's initial memory, which grows for it by whole pages, and the engine gets
// its address. The same arguments give the same bytes. Everything of the engine except its
// memory's size, its data and Link's export stays as it was. The errors describe the defect of
// the script (empty, too long, not UTF-8) or of the engine (no WebAssembly module, or not one
// for scripts). Neither argument is changed.
func Link(engine, js []byte) (wasm []byte, err error) {
	switch {
	case len(js) == 0:
		return nil, errors.New("link: the script is empty")
	case len(js) > MaxScript:
		return nil, fmt.Errorf("link: the script has %d bytes, at most %d", len(js), MaxScript)
	case !utf8.Valid(js):
		return nil, errors.New("link: the script is not UTF-8")
	}
	m, err := readEngine(engine)
	if err != nil {
		return nil, fmt.Errorf("link: the engine: %w", err)
	}
	pages := (uint32(len(js)) + 1 + pageBytes - 1) / pageBytes
	if m.memory.min+pages > m.memory.max {
		return nil, fmt.Errorf("link: the script needs %d pages of memory beside the engine's %d, at most %d in all", pages, m.memory.min, m.memory.max)
	}
	at := m.memory.min * pageBytes
	m.memory.min += pages
	place := binary.LittleEndian.AppendUint32(nil, at)
	place = binary.LittleEndian.AppendUint32(place, uint32(len(js)))
	m.segments = [][]byte{segment(at, append(bytes.Clone(js), 0)), segment(m.place, place)}
	return m.write(), nil
}

// segment is an active data segment of the first memory. Segments are copied in order, so a
// later one overwrites.
func segment(at uint32, data []byte) []byte {
	s := []byte{0, opI32}
	s = appendSigned(s, int32(at))
	s = append(s, opEnd)
	s = binary.AppendUvarint(s, uint64(len(data)))
	return append(s, data...)
}

// appendSigned appends v as signed LEB128, as i32.const has it.
func appendSigned(to []byte, v int32) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(to, b)
		}
		to = append(to, b|0x80)
	}
}
