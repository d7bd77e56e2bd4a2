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

var sectionNames = [...]string{"custom section", "type section", "import section", "function section", "table section", "memory section", "global section", "export section", "start section", "element section", "code section", "data section", "data count section"}

// sectionOrder is the order of sections in a binary.
var sectionOrder = [...]byte{secType, secImport, secFunction, secTable, secMemory, secGlobal, secExport, secStart, secElement, secDataCount, secCode, secData}

var header = []byte("\x00asm\x01\x00\x00\x00")

// section is the content of one section and its offset in the file.
type section struct {
	content []byte
	offset  int
}

// sections are a binary's sections by id. Custom ones are left out: they mean
// nothing to the engine.
type sections [13]section

// split reads the sections of a binary and makes sure of their order.
func split(wasm []byte) (*sections, error) {
	if !bytes.HasPrefix(wasm, header) {
		return nil, &Error{Err: errors.New("not a WebAssembly module of version 1")}
	}
	var s sections
	r := reader{data: wasm, pos: len(header)}
	place := 0
	for !r.done() {
		start := r.pos
		id := r.byte()
		content := r.take(r.u32())
		if r.err != nil {
			return nil, r.err
		}
		if id == secCustom {
			if custom := (&reader{data: content}); !utf8.ValidString(custom.name()) || custom.err != nil {
				r.failAt(start, errors.New("a custom section's name is cut off or not UTF-8"))
				return nil, r.err
			}
			continue
		}
		for place < len(sectionOrder) && sectionOrder[place] != id {
			place++
		}
		if place == len(sectionOrder) {
			r.failAt(start, fmt.Errorf("section %d is unknown, out of order or there twice", id))
			return nil, r.err
		}
		place++
		s[id] = section{content, r.pos - len(content)}
	}
	return &s, nil
}

// join writes a binary.
func (s *sections) join() []byte {
	size := len(header)
	for i := range s {
		size += len(s[i].content) + 6
	}
	out := append(make([]byte, 0, size), header...)
	for _, id := range sectionOrder {
		if s[id].content != nil {
			out = appendSection(out, id, s[id].content)
		}
	}
	return out
}

// reader returns a reader over one section and the number of its elements; an
// absent section has none.
func (s *sections) reader(id byte) (*reader, uint32) {
	r := &reader{data: s[id].content, base: s[id].offset}
	if r.data == nil {
		return r, 0
	}
	return r, r.count()
}

// set changes the content of a section, or makes one.
func (s *sections) set(id byte, content []byte) { s[id].content = content }

// replace changes the content of an existing section.
func (s *sections) replace(id byte, content []byte) {
	if s[id].content != nil {
		s[id].content = content
	}
}

// Import is one import of a module.
type Import struct {
	Module, Name string
	// Kind is "function", "table", "memory" or "global".
	Kind string

	typ    uint32 // of a function
	offset int    // in the file
}

var importKinds = [...]string{"function", "table", "memory", "global"}

// Imports lists the imports of a binary.
func Imports(wasm []byte) ([]Import, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	if err := s.check(Options{}); err != nil {
		return nil, err
	}
	return s.imports()
}

func (s *sections) imports() ([]Import, error) {
	r, n := s.reader(secImport)
	var list []Import
	for range n {
		i := Import{offset: r.base + r.pos}
		i.Module, i.Name = r.name(), r.name()
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
			break
		}
		list = append(list, i)
	}
	return list, in(sectionNames[secImport], r.end())
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
