package wasmbin

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// globals appends the globals of fuel and stack, and notes the other mutable ones.
func (w *rewriter) globals() error {
	r, n := w.reader(secGlobal)
	w.fuel, w.stack = n, n+1
	content := appendU32(nil, n+2)
	for i := range n {
		kind, mutable := r.valueType(), r.byte()
		content = w.expression(r, append(content, kind, mutable))
		if mutable == 0 {
			continue
		}
		switch string(kind) {
		case typeI32, typeI64, typeF32, typeF64:
			w.result.Globals = append(w.result.Globals, globalName(i))
		default:
			w.kept.wide[i] = kind
		}
	}
	content = append(content, typeI64[0], 1, opI64Const, 0, opEnd)
	content = appendI64(append(content, typeI32[0], 1, opI32Const), int64(w.opts.StackBytes))
	w.set(secGlobal, append(content, opEnd))
	return r.end()
}

func globalName(index uint32) string { return Prefix + "g" + strconv.Itoa(int(index)) }

// exports moves the exported functions and adds the mutable globals.
func (w *rewriter) exports() error {
	r, n := w.reader(secExport)
	content := appendU32(nil, n+uint32(len(w.result.Globals))+2)
	for range n {
		start := r.pos
		name, kind, index := r.take(r.u32()), r.byte(), r.u32()
		if bytes.HasPrefix(name, []byte(Prefix)) {
			r.failAt(start, fmt.Errorf("names with %q are the host's own", Prefix))
		}
		switch kind {
		case 0:
			index = w.moved(r, start, index)
		case 1:
			w.checkTable(r, start, index)
		case 3:
			w.global(r, start, index)
		}
		if r.err != nil {
			return r.err
		}
		content = append(appendU32(content, uint32(len(name))), name...)
		content = appendU32(append(content, kind), index)
	}
	for _, name := range w.result.Globals {
		index, err := strconv.Atoi(strings.TrimPrefix(name, Prefix+"g"))
		if err != nil {
			return err
		}
		content = appendU32(append(appendName(content, name), 3), uint32(index))
	}
	content = appendU32(append(appendName(content, FuelGlobal), 3), w.fuel)
	w.set(secExport, appendU32(append(appendName(content, StackGlobal), 3), w.stack))
	return r.end()
}

// global checks that a global is the module's own.
func (w *rewriter) global(r *reader, start int, index uint32) {
	if index >= w.fuel {
		r.failAt(start, fmt.Errorf("there is no global %d", index))
	}
}
