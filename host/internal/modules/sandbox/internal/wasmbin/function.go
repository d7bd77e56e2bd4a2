package wasmbin

import (
	"fmt"
	"strings"
)

// addedImports are refill and overflow, after the module's own.
const addedImports = 2

// addImports appends the imports. Only functions may be imported, so all other spaces begin
// with the module's own definitions.
func (w *rewriter) addImports() error {
	imports, err := w.imports()
	if err != nil {
		return err
	}
	for _, i := range imports {
		switch {
		case i.Kind != "function":
			return &Error{Offset: i.offset, Err: fmt.Errorf("a %s is imported: a tool module may import functions only", i.Kind)}
		case strings.HasPrefix(i.Module, Prefix):
			return &Error{Offset: i.offset, Err: fmt.Errorf("module names with %q are the host's own", Prefix)}
		case i.typ >= w.declared:
			return &Error{Offset: i.offset, Err: fmt.Errorf("there is no type %d", i.typ)}
		}
		w.functions = append(w.functions, i.typ)
	}
	w.imported = uint32(len(imports))
	r, n := w.reader(secImport)
	content := append(appendU32(nil, n+addedImports), r.data[r.pos:]...)
	content = appendName(appendName(content, FuelModule), RefillName)
	content = appendU32(append(content, 0), w.typeIndex(typeI64, typeI64))
	content = appendName(appendName(content, FuelModule), OverflowName)
	w.set(secImport, appendU32(append(content, 0), w.typeIndex("", "")))
	return nil
}

func (w *rewriter) readFunctions() error {
	r, n := w.reader(secFunction)
	for range n {
		start := r.pos
		typ := r.u32()
		if typ >= w.declared {
			r.failAt(start, fmt.Errorf("there is no type %d", typ))
		}
		w.functions = append(w.functions, typ)
	}
	return r.end()
}

// moved returns the new index of a function. An index out of range must stay so: it could mean
// an addition of Rewrite.
func (w *rewriter) moved(r *reader, start int, index uint32) uint32 {
	switch {
	case index < w.imported:
		return index
	case int(index) < len(w.functions):
		return index + addedImports
	}
	r.failAt(start, fmt.Errorf("there is no function %d", index))
	return 0
}

func (w *rewriter) start() error {
	s := w.sections[secStart]
	if s.content == nil {
		return nil
	}
	r := &reader{data: s.content, base: s.offset}
	w.set(secStart, appendU32(nil, w.moved(r, 0, r.u32())))
	return r.end()
}

// elements moves the functions in element segments.
func (w *rewriter) elements() error {
	r, n := w.reader(secElement)
	content := appendU32(nil, n)
	for range n {
		content = w.element(r, content)
	}
	w.replace(secElement, content)
	return r.end()
}

// element copies one segment. Its flags: bit 0 not active, bit 1 a table index
// (active) or declarative (not), bit 2 expressions instead of functions.
func (w *rewriter) element(r *reader, dst []byte) []byte {
	flags := r.u32()
	if flags > 7 {
		r.fail(fmt.Errorf("segment of kind %d is not supported", flags))
	}
	dst = appendU32(dst, flags)
	w.kept.elements = append(w.kept.elements, flags&3 == 1)
	if flags&1 == 0 {
		if flags&2 != 0 {
			start := r.pos
			table := r.u32()
			w.checkTable(r, start, table)
			dst = appendU32(dst, table)
		}
		dst = w.expression(r, dst)
	}
	switch {
	case flags&3 == 0:
	case flags&4 != 0:
		dst = append(dst, r.valueType())
	default:
		dst = append(dst, r.byte()) // always functions
	}
	n := r.count()
	dst = appendU32(dst, n)
	for range n {
		if flags&4 != 0 {
			dst = w.expression(r, dst)
		} else {
			start := r.pos
			dst = appendU32(dst, w.moved(r, start, r.u32()))
		}
	}
	return dst
}

// expression copies a constant expression with its functions moved.
func (w *rewriter) expression(r *reader, dst []byte) []byte {
	var i instr
	for r.err == nil {
		r.next(&i)
		switch i.op {
		case opCall, opRefFunc:
			dst = appendU32(append(dst, i.op), w.moved(r, i.start, i.index))
			continue
		case opGlobalGet, opGlobalSet:
			w.global(r, i.start, i.index)
		}
		if r.err != nil {
			break
		}
		dst = append(dst, r.data[i.start:r.pos]...)
		if i.op == opEnd {
			break
		}
	}
	return dst
}
