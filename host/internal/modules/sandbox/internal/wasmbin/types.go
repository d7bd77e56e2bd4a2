package wasmbin

import "fmt"

// The bytes of value types.
const (
	typeI32  = "\x7f"
	typeI64  = "\x7e"
	typeF32  = "\x7d"
	typeF64  = "\x7c"
	typeV128 = 0x7b

	typeFuncref   = 0x70
	typeExternref = 0x6f
)

// maxParams is how many parameters a function may have, and how many results: as many as in
// browsers. For each type the engine makes a text, in time growing with the square: a million
// of them took minutes.
const maxParams = 1000

// functionType holds the value types of a function, one byte each.
type functionType struct{ params, results string }

// isValueType accepts the types of WebAssembly 2.0. The engine reads some newer ones, of more
// than one byte, even without the feature; taken for one byte, the rest would be read
// differently.
func isValueType(t byte) bool {
	switch t {
	case typeI32[0], typeI64[0], typeF32[0], typeF64[0], typeV128, typeFuncref, typeExternref:
		return true
	}
	return false
}

// valueType reads one.
func (r *reader) valueType() byte {
	t := r.byte()
	if !isValueType(t) && r.err == nil {
		r.failAt(r.pos-1, fmt.Errorf("type 0x%02x is not supported", t))
	}
	return t
}

// valueTypes reads a vector of them.
func (r *reader) valueTypes() string {
	types := r.take(r.count())
	for k, t := range types {
		if !isValueType(t) {
			r.failAt(r.pos-len(types)+k, fmt.Errorf("type 0x%02x is not supported", t))
			return ""
		}
	}
	return string(types)
}

// readTypes reads the module's types.
func (w *rewriter) readTypes() error {
	r, n := w.reader(secType)
	w.types = make([]functionType, 0, n+8)
	for range n {
		if form := r.byte(); form != 0x60 && r.err == nil {
			r.failAt(r.pos-1, fmt.Errorf("type of kind 0x%02x is not supported", form))
		}
		t := functionType{r.valueTypes(), r.valueTypes()}
		if err := atMost("parameters and results of a type", max(len(t.params), len(t.results)), maxParams); err != nil {
			return err
		}
		w.types = append(w.types, t)
	}
	w.declared = n
	return r.end()
}

// typeIndex returns the index of a type for Rewrite.
func (w *rewriter) typeIndex(params, results string) uint32 {
	wanted := functionType{params, results}
	for i, t := range w.types[w.declared:] {
		if t == wanted {
			return w.declared + uint32(i)
		}
	}
	w.types = append(w.types, wanted)
	return uint32(len(w.types) - 1)
}

// writeTypes adds the types given out by typeIndex.
func (w *rewriter) writeTypes() {
	r, _ := w.reader(secType)
	content := append(appendU32(nil, uint32(len(w.types))), r.data[r.pos:]...)
	for _, t := range w.types[w.declared:] {
		content = appendName(appendName(append(content, 0x60), t.params), t.results)
	}
	w.set(secType, content)
}

// typeOf returns the type of one of the module's functions, by its old index;
// an unknown one has none.
func (w *rewriter) typeOf(function uint32) functionType {
	if int(function) >= len(w.functions) {
		return functionType{}
	}
	return w.typeAt(w.functions[function])
}

// checkType checks that a type is the module's own: beyond those are the types added by
// Rewrite.
func (w *rewriter) checkType(r *reader, start int, index uint32) {
	if index >= w.declared {
		r.failAt(start, fmt.Errorf("there is no type %d", index))
	}
}

func (w *rewriter) typeAt(index uint32) functionType {
	if index >= w.declared {
		return functionType{}
	}
	return w.types[index]
}
