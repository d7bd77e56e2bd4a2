package wasmbin

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// The ids of sections.
const (
	secCustom    = 0
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElement   = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
)

var sectionNames = [...]string{"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count"}

// sectionOrder is the order in which sections stand in a binary.
var sectionOrder = [...]byte{secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart, secElement, secDataCount, secCode, secData}

var header = []byte("\x00asm\x01\x00\x00\x00")

// sections are the contents of a binary's sections by id. Custom ones are left
// out: they mean nothing to the engine.
type sections [13][]byte

// split reads the sections of a binary and makes sure of their order.
func split(wasm []byte) (*sections, error) {
	if !bytes.HasPrefix(wasm, header) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	var s sections
	r := reader{data: wasm, pos: len(header)}
	place := 0
	for !r.done() {
		id := r.byte()
		content := r.take(r.u32())
		if r.err != nil {
			return nil, r.err
		}
		if id == secCustom {
			if custom := (&reader{data: content}); !utf8.ValidString(custom.name()) || custom.err != nil {
				return nil, errors.New("a custom section's name is cut off or not UTF-8")
			}
			continue
		}
		for place < len(sectionOrder) && sectionOrder[place] != id {
			place++
		}
		if place == len(sectionOrder) {
			return nil, fmt.Errorf("section %d is unknown, out of order or there twice", id)
		}
		place++
		s[id] = content
		if content == nil {
			s[id] = []byte{}
		}
	}
	return &s, nil
}

// join writes a binary.
func (s *sections) join() []byte {
	out := bytes.Clone(header)
	for _, id := range sectionOrder {
		if s[id] != nil {
			out = appendSection(out, id, s[id])
		}
	}
	return out
}

// reader returns a reader over one section and the number of its elements; an
// absent section has none.
func (s *sections) reader(id byte) (*reader, uint32) {
	r := &reader{data: s[id]}
	if s[id] == nil {
		return r, 0
	}
	return r, r.count()
}

// Import is one import of a module.
type Import struct {
	Module, Name string
	// Kind is "function", "table", "memory" or "global".
	Kind string

	typ uint32 // of a function
}

var importKinds = [...]string{"function", "table", "memory", "global"}

// Imports lists the imports of a binary.
func Imports(wasm []byte) ([]Import, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	return s.imports()
}

func (s *sections) imports() ([]Import, error) {
	r, n := s.reader(secImport)
	var list []Import
	for range n {
		i := Import{Module: r.name(), Name: r.name()}
		kind := r.byte()
		if int(kind) >= len(importKinds) {
			r.fail(fmt.Errorf("import of kind %d", kind))
		} else {
			i.Kind = importKinds[kind]
		}
		switch kind {
		case 0:
			i.typ = r.u32()
		case 1:
			r.byte()
			r.limits()
		case 2:
			r.limits()
		case 3:
			r.take(2)
		}
		if r.err != nil {
			return nil, at("import", r.err)
		}
		list = append(list, i)
	}
	return list, at("import", r.end())
}

// end makes sure that a section holds nothing more.
func (r *reader) end() error {
	if r.err == nil && !r.done() {
		r.fail(errors.New("bytes after the last element"))
	}
	return r.err
}

// limits reads the size of a memory or table. Without a maximum, max is the
// largest number.
func (r *reader) limits() (low, high uint32) {
	flag := r.byte()
	low, high = r.u32(), 1<<32-1
	switch flag {
	case 0:
	case 1:
		high = r.u32()
	default:
		r.fail(fmt.Errorf("limits of kind %d are not supported", flag))
	}
	return low, high
}
