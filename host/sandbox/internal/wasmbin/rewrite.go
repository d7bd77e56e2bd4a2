package wasmbin

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Prefix begins the names of what Rewrite adds. A module that exports a name
// with it, or imports from a module with it, is refused.
const Prefix = "callgate:"

// The imports of a rewritten module. RefillName, (i64) -> i64, is called when
// the fuel is used up: it gets the fuel left, which is less than nothing, and
// returns what the module goes on with. OverflowName, () -> (), is called when
// the stack is used up, and never returns. The host stops the guest by a trap.
const (
	FuelModule   = Prefix + "fuel"
	RefillName   = "refill"
	OverflowName = "overflow"
)

// FuelGlobal is the exported mutable i64 global that holds the fuel left.
const FuelGlobal = Prefix + "fuel"

// StackGlobal is the exported mutable i32 global that holds the bytes of stack
// left. It is Options.StackBytes at first, and again after each call that ended
// well.
const StackGlobal = Prefix + "stack"

// Options bound what a module may declare.
type Options struct {
	// MemoryPages and TableEntries are the largest maxima; a declared larger or
	// missing one is lowered to them.
	MemoryPages  uint32
	TableEntries uint32
	// Functions and Globals cap how many the module defines; 0 means any number.
	Functions, Globals int
	// StackBytes is how much of the native stack the calls of a guest may take; 0
	// means that nobody counts.
	StackBytes int
	// Bytes caps the size of the result.
	Bytes int
	// Unmetered leaves out fuel and stack, to measure what they cost. Such a
	// module cannot be stopped.
	Unmetered bool

	segment, nested int64 // for tests: instead of segmentCost and nestedCost
}

// Result is a rewritten module.
type Result struct {
	Wasm []byte
	// Globals are the export names of the mutable globals of number types,
	// FuelGlobal not among them.
	Globals []string
	// Kept tells that a call can change more than linear memory, Globals and
	// sizes: the module has DirtyGlobal, SaveName and RestoreName.
	Kept bool
	// Memory tells whether there is a linear memory, MemoryPages how large it may
	// become.
	Memory      bool
	MemoryPages uint32
}

// The bounds that nobody sets.
const (
	maxTables    = 16
	maxPages     = 65536   // of any memory of WebAssembly
	maxLocals    = 50000   // of one function, as the engine has it
	maxAllLocals = 4 << 20 // of all functions: the engine sets each of them up
)

// rewriter holds the sections of a module on their way.
type rewriter struct {
	*sections
	opts Options

	types     []functionType
	declared  uint32   // of types
	functions []uint32 // the type of each function of the module, by old index
	imported  uint32   // of functions
	helpers   []helper
	helperAt  map[helperKey]uint32
	fuel      uint32 // index of the fuel global
	stack     uint32 // index of the stack global
	kept      kept
	result    Result
}

// Rewrite returns the module with fuel, exported globals and maxima. The error
// is an *Error, which says where in the file what is wrong.
func Rewrite(wasm []byte, opts Options) (*Result, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	if opts.segment == 0 {
		opts.segment, opts.nested = segmentCost, nestedCost
	}
	w := &rewriter{sections: s, opts: opts, helperAt: map[helperKey]uint32{}, kept: newKept()}
	for _, step := range []struct {
		id byte
		do func() error
	}{
		{secType, w.readTypes},
		{secImport, w.addImports},
		{secFunction, w.readFunctions}, // before the sections that speak of functions
		{secTable, w.boundTables},
		{secMemory, w.boundMemory},
		{secGlobal, w.globals},
		{secExport, w.exports},
		{secStart, w.start},
		{secElement, w.elements},
		{secData, w.data}, // before the code that drops segments
		{secCode, w.code},
	} {
		if err := step.do(); err != nil {
			return nil, in(sectionNames[step.id], err)
		}
	}
	w.addState()
	w.addHelpers()
	w.writeTypes()
	w.result.Wasm = w.join()
	if err := atMost("module_kib with its fuel", len(w.result.Wasm), opts.Bytes); err != nil {
		return nil, &Error{Offset: len(wasm), Err: err}
	}
	return &w.result, nil
}

// addedImports are refill and overflow, after the module's own.
const addedImports = 2

// addImports appends the imports. Only functions may be imported, so all other
// spaces begin with what the module defines itself.
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
	if err := atMost("functions", int(n), w.opts.Functions); err != nil && w.opts.Functions > 0 {
		r.failAt(0, err)
		return r.err
	}
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

// moved returns the new index of a function. An index that was out of range
// must stay so: it could mean what Rewrite adds.
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

func (w *rewriter) boundTables() error {
	r, n := w.reader(secTable)
	if err := atMost("tables", n, maxTables); err != nil {
		r.failAt(0, err)
	}
	content := appendU32(nil, n)
	for range n {
		start := r.pos
		kind := r.byte()
		if kind != 0x70 && kind != 0x6f && r.err == nil {
			r.failAt(start, fmt.Errorf("table of kind 0x%02x is not supported", kind))
		}
		low, high := r.limits()
		if err := atMost("table_entries", low, w.opts.TableEntries); err != nil {
			r.failAt(start, err)
		}
		if r.err != nil {
			break
		}
		high = min(high, w.opts.TableEntries)
		content = appendLimits(append(content, kind), low, high)
		w.kept.tables = append(w.kept.tables, table{kind, low, high})
	}
	w.replace(secTable, content)
	return r.end()
}

func (w *rewriter) boundMemory() error {
	r, n := w.reader(secMemory)
	if err := atMost("memories", n, 1); err != nil {
		r.failAt(0, err)
	}
	content := appendU32(nil, n)
	for range n {
		start := r.pos
		bounded := !r.done() && r.data[start] == 1
		low, high := r.limits()
		if bounded && high > maxPages {
			r.failAt(start, fmt.Errorf("%d pages: memory has at most %d", high, maxPages))
		}
		if err := atMost("memory_mib in pages of 64 KiB", low, w.opts.MemoryPages); err != nil {
			r.failAt(start, err)
		}
		if r.err != nil {
			break
		}
		w.result.Memory, w.result.MemoryPages = true, min(high, w.opts.MemoryPages)
		content = appendLimits(content, low, w.result.MemoryPages)
	}
	w.replace(secMemory, content)
	return r.end()
}

func appendLimits(dst []byte, low, high uint32) []byte {
	return appendU32(appendU32(append(dst, 1), low), high)
}

// globals appends the globals of fuel and stack, and notes which others can change.
func (w *rewriter) globals() error {
	r, n := w.reader(secGlobal)
	if err := atMost("globals", int(n), w.opts.Globals); err != nil && w.opts.Globals > 0 {
		r.failAt(0, err)
	}
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

// global makes sure that a global is the module's own.
func (w *rewriter) global(r *reader, start int, index uint32) {
	if index >= w.fuel {
		r.failAt(start, fmt.Errorf("there is no global %d", index))
	}
}
