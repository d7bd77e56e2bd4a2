package script

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// header begins every WebAssembly module: its magic and version.
var header = []byte("\x00asm\x01\x00\x00\x00")

// section is one section of a module as it came.
type section struct {
	id   byte
	body []byte
}

// memory is the size of a module's only memory, in pages; max is the most it may
// become, whether the module says so or WebAssembly.
type memory struct {
	min, max uint32
	bounded  bool
}

// engine is a module as far as Link changes it.
type engine struct {
	sections []section
	memory   memory
	// place is the address of the engine's pointer to its script.
	place uint32
	// segments are those to be added.
	segments [][]byte
	// exports are the export section's entries without scriptExport.
	exports     []byte
	exportCount uint32
	hasData     bool
}

var errNoPlace = fmt.Errorf("it takes no script: it exports no constant global %q that points into its memory", scriptExport)

// readEngine reads the parts for Link. It does not validate the module beyond them: compiling
// it does.
func readEngine(wasm []byte) (*engine, error) {
	rest, ok := bytes.CutPrefix(wasm, header)
	if !ok {
		return nil, errors.New("it is no WebAssembly module of version 1")
	}
	m := &engine{}
	r := &reader{data: rest}
	seen := map[byte][]byte{}
	for r.more() {
		s := section{id: r.byte()}
		s.body = r.bytes(r.uint32())
		if r.err != nil {
			return nil, fmt.Errorf("section %d: %w", s.id, r.err)
		}
		if _, twice := seen[s.id]; twice && s.id != 0 {
			return nil, fmt.Errorf("section %d comes twice", s.id)
		}
		seen[s.id] = s.body
		m.sections = append(m.sections, s)
	}
	if _, ok := seen[sectionMemory]; !ok {
		return nil, errors.New("it has no memory of its own")
	}
	_, m.hasData = seen[sectionData]
	if !m.hasData {
		return nil, errors.New("it has no data")
	}
	if err := m.readMemory(seen[sectionMemory]); err != nil {
		return nil, fmt.Errorf("memory section: %w", err)
	}
	return m, m.readPlace(seen)
}

func (m *engine) readMemory(body []byte) error {
	r := &reader{data: body}
	if n := r.uint32(); r.err == nil && n != 1 {
		return fmt.Errorf("%d memories, want one", n)
	}
	flags := r.byte()
	if r.err == nil && flags > 1 {
		return fmt.Errorf("a memory of an unknown kind (flags %#x)", flags)
	}
	m.memory = memory{min: r.uint32(), max: maxPages, bounded: flags == 1}
	if m.memory.bounded {
		m.memory.max = r.uint32()
	}
	switch {
	case r.end() != nil:
		return r.err
	case m.memory.min > m.memory.max || m.memory.max > maxPages:
		return fmt.Errorf("%d to %d pages, want ascending and at most %d", m.memory.min, m.memory.max, maxPages)
	}
	return nil
}

// readPlace finds the address behind scriptExport, and the other exports.
func (m *engine) readPlace(seen map[byte][]byte) error {
	imported, err := importedGlobals(seen[sectionImport])
	if err != nil {
		return fmt.Errorf("import section: %w", err)
	}
	index, err := m.readExports(seen[sectionExport])
	if err != nil {
		return err
	}
	if index < imported {
		return errNoPlace
	}
	m.place, err = constantGlobal(seen[sectionGlobal], index-imported)
	if err != nil {
		return err
	}
	if uint64(m.place)+8 > uint64(m.memory.min)*pageBytes {
		return errNoPlace
	}
	return nil
}

// readExports keeps the exports but scriptExport, and returns its global's index.
func (m *engine) readExports(body []byte) (index uint32, err error) {
	if body == nil {
		return 0, errNoPlace
	}
	r := &reader{data: body}
	found := false
	for n := r.uint32(); n > 0 && r.err == nil; n-- {
		start := r.at
		name := r.bytes(r.uint32())
		kind := r.byte()
		i := r.uint32()
		if string(name) == scriptExport && kind == kindGlobal {
			index, found = i, true
			continue
		}
		m.exports = append(m.exports, body[start:r.at]...)
		m.exportCount++
	}
	switch {
	case r.end() != nil:
		return 0, fmt.Errorf("export section: %w", r.err)
	case !found:
		return 0, errNoPlace
	}
	return index, nil
}

// importedGlobals counts the imported globals: they come before the module's own. Of other
// imports only functions are known here.
func importedGlobals(body []byte) (uint32, error) {
	if body == nil {
		return 0, nil
	}
	r := &reader{data: body}
	var globals uint32
	for n := r.uint32(); n > 0 && r.err == nil; n-- {
		r.bytes(r.uint32())
		r.bytes(r.uint32())
		switch kind := r.byte(); {
		case r.err != nil:
		case kind == kindFunction:
			r.uint32()
		case kind == kindGlobal:
			r.bytes(2)
			globals++
		default:
			return 0, fmt.Errorf("an import of kind %d, want functions", kind)
		}
	}
	return globals, r.end()
}

// constantGlobal returns the value of a module's own global, required to be a constant i32. All
// globals before it must be plain constants too.
func constantGlobal(body []byte, index uint32) (uint32, error) {
	if body == nil {
		return 0, errNoPlace
	}
	r := &reader{data: body}
	if n := r.uint32(); r.err == nil && index >= n {
		return 0, errNoPlace
	}
	for i := uint32(0); r.err == nil; i++ {
		valueType, mutable, op := r.byte(), r.byte(), r.byte()
		value := r.signed()
		switch end := r.byte(); {
		case r.err != nil:
		case valueType != typeI32 || op != opI32 || end != opEnd:
			return 0, fmt.Errorf("global %d is no i32 constant", i)
		case i == index && mutable != 0:
			return 0, errNoPlace
		case i == index:
			return uint32(value), nil
		}
	}
	return 0, fmt.Errorf("global section: %w", r.err)
}

// write returns the module's bytes.
func (m *engine) write() []byte {
	out := bytes.Clone(header)
	for _, s := range m.sections {
		body := s.body
		switch s.id {
		case sectionMemory:
			body = m.memory.encode()
		case sectionExport:
			body = append(binary.AppendUvarint(nil, uint64(m.exportCount)), m.exports...)
		case sectionDataCount:
			n, _ := binary.Uvarint(body) // read as the data section's below; compiling compares both
			body = binary.AppendUvarint(nil, n+uint64(len(m.segments)))
		case sectionData:
			n, width := binary.Uvarint(body)
			body = append(binary.AppendUvarint(nil, n+uint64(len(m.segments))), body[max(width, 0):]...)
			for _, s := range m.segments {
				body = append(body, s...)
			}
		}
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out
}

func (m memory) encode() []byte {
	if !m.bounded {
		return binary.AppendUvarint([]byte{1, 0}, uint64(m.min))
	}
	return binary.AppendUvarint(binary.AppendUvarint([]byte{1, 1}, uint64(m.min)), uint64(m.max))
}
