package wasmbin

import (
	"errors"
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

// Options bound what a module may declare.
type Options struct {
	// MemoryPages and TableEntries are the largest maxima; a declared larger or
	// missing one is lowered to them.
	MemoryPages  uint32
	TableEntries uint32
	// Bytes caps the size of the result.
	Bytes int
	// Dear names the imports that may take long at one call, by their arguments.
	// Each call of theirs makes the guest ask whether it may go on. Nil means none.
	Dear func(module, name string) bool
}

// Result is a rewritten module.
type Result struct {
	Wasm []byte
	// Globals are the export names of the mutable globals of number types,
	// FuelGlobal not among them.
	Globals []string
	// Restorable tells that linear memory and Globals are all that a call can
	// change for good, apart from the size of the memory. Otherwise the module
	// writes to tables, drops segments or has mutable globals that hold vectors or
	// references: only a new instance is as new.
	Restorable bool
	// Memory tells whether there is a linear memory, MemoryPages how large it may
	// become.
	Memory      bool
	MemoryPages uint32
}

const (
	maxTables  = 16
	maxGlobals = 10000
	maxLocals  = 50000
	maxPages   = 65536 // of any memory of WebAssembly
)

// rewriter holds the sections of a module on their way.
type rewriter struct {
	*sections
	opts     Options
	imported uint32 // functions
	defined  uint32 // functions
	added    uint32 // index of the first import added; later functions move up by addedImports
	bulk     uint32 // index of the function that charges for bulk instructions
	fuel     uint32 // index of the fuel global
	thunks   []thunk
	result   Result

	// What body works with, kept from function to function.
	edits   []edit
	open    []block
	scratch []byte
}

// Rewrite returns the module with fuel, exported globals and maxima. The error
// says in which section what is wrong.
func Rewrite(wasm []byte, opts Options) (*Result, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	w := &rewriter{sections: s, opts: opts, result: Result{Restorable: true}}
	for _, step := range []struct {
		id byte
		do func() error
	}{
		{secImport, w.importFuel},
		{secFunction, w.addBulk}, // before the sections that speak of functions
		{secTable, w.boundTables},
		{secMemory, w.boundMemory},
		{secGlobal, w.globals},
		{secExport, w.exports},
		{secStart, w.start},
		{secElement, w.elements},
		{secCode, w.code},
		{secData, w.data},
	} {
		if err := at(sectionNames[step.id], step.do()); err != nil {
			return nil, err
		}
	}
	w.result.Wasm = w.join()
	if len(w.result.Wasm) > opts.Bytes {
		return nil, fmt.Errorf("%d bytes with its fuel: at most %d", len(w.result.Wasm), opts.Bytes)
	}
	return &w.result, nil
}

// addType appends a function type and returns its index.
func (w *rewriter) addType(params, results string) (uint32, error) {
	r, n := w.reader(secType)
	if r.err != nil {
		return 0, at("type", r.err)
	}
	content := appendU32(nil, n+1)
	content = append(content, r.data[r.pos:]...)
	content = append(content, 0x60)
	content = appendName(content, params)
	w.sections[secType] = appendName(content, results)
	return n, nil
}

// The bytes of value types.
const (
	typeI32 = "\x7f"
	typeI64 = "\x7e"
	typeF32 = "\x7d"
	typeF64 = "\x7c"
)

// importFuel appends the imports. Only functions may be imported, so all
// other spaces begin with what the module defines itself.
func (w *rewriter) importFuel() error {
	imports, err := w.imports()
	if err != nil {
		return errors.Unwrap(err)
	}
	for index, i := range imports {
		if i.Kind != "function" {
			return fmt.Errorf("a %s is imported: a tool module may import functions only", i.Kind)
		}
		if strings.HasPrefix(i.Module, Prefix) {
			return fmt.Errorf("module names with %q are the host's own", Prefix)
		}
		if w.opts.Dear != nil && w.opts.Dear(i.Module, i.Name) {
			w.thunks = append(w.thunks, thunk{imported: uint32(index), typ: i.typ})
		}
	}
	refill, err := w.addType(typeI64, typeI64)
	if err != nil {
		return err
	}
	overflow, err := w.addType("", "")
	if err != nil {
		return err
	}
	w.imported = uint32(len(imports))
	w.added = w.imported
	r, n := w.reader(secImport)
	content := append(appendU32(nil, n+addedImports), r.data[r.pos:]...)
	content = appendName(appendName(content, FuelModule), RefillName)
	content = appendU32(append(content, 0), refill)
	content = appendName(appendName(content, FuelModule), OverflowName)
	w.sections[secImport] = appendU32(append(content, 0), overflow)
	return nil
}

// addedImports are refill and overflow.
const addedImports = 2

// function returns the new index of a function. An index that was out of range
// must stay so: it could mean what Rewrite adds.
func (w *rewriter) function(r *reader, index uint32) uint32 {
	switch {
	case index < w.imported:
		for i, t := range w.thunks {
			if t.imported == index {
				return w.bulk + 1 + uint32(i)
			}
		}
		return index
	case index-w.imported < w.defined:
		return index + addedImports
	}
	r.fail(fmt.Errorf("there is no function %d", index))
	return 0
}

// addBulk declares the function that charges for bulk instructions, after all
// others, and then the thunks; their bodies are added with the code.
func (w *rewriter) addBulk() error {
	index, err := w.addType(typeI32, typeI32)
	if err != nil {
		return err
	}
	r, n := w.reader(secFunction)
	content := append(appendU32(nil, n+1+uint32(len(w.thunks))), r.data[r.pos:]...)
	content = appendU32(content, index)
	for _, t := range w.thunks {
		content = appendU32(content, t.typ)
	}
	w.sections[secFunction] = content
	w.defined, w.bulk = n, w.imported+addedImports+n
	return r.err
}

func (w *rewriter) boundTables() error {
	r, n := w.reader(secTable)
	if n > maxTables {
		return fmt.Errorf("%d tables: at most %d", n, maxTables)
	}
	content := appendU32(nil, n)
	for range n {
		kind := r.byte()
		if kind != 0x70 && kind != 0x6f {
			return fmt.Errorf("table of kind 0x%02x is not supported", kind)
		}
		low, high := r.limits()
		if low > w.opts.TableEntries {
			return fmt.Errorf("%d entries: at most %d", low, w.opts.TableEntries)
		}
		content = appendLimits(append(content, kind), low, min(high, w.opts.TableEntries))
	}
	w.replace(secTable, content)
	return r.end()
}

func (w *rewriter) boundMemory() error {
	r, n := w.reader(secMemory)
	if n > 1 {
		return fmt.Errorf("%d memories: at most one", n)
	}
	w.result.Memory = n == 1
	content := appendU32(nil, n)
	for range n {
		bounded := !r.done() && r.data[r.pos] == 1
		low, high := r.limits()
		if bounded && high > maxPages {
			return fmt.Errorf("%d pages: memory has at most %d", high, maxPages)
		}
		if low > w.opts.MemoryPages {
			return fmt.Errorf("%d pages: at most %d", low, w.opts.MemoryPages)
		}
		w.result.MemoryPages = min(high, w.opts.MemoryPages)
		content = appendLimits(content, low, w.result.MemoryPages)
	}
	w.replace(secMemory, content)
	return r.end()
}

func appendLimits(dst []byte, low, high uint32) []byte {
	return appendU32(appendU32(append(dst, 1), low), high)
}

// replace changes a section that is there.
func (w *rewriter) replace(id byte, content []byte) {
	if w.sections[id] != nil {
		w.sections[id] = content
	}
}

// globals appends the fuel global and notes which others can change.
func (w *rewriter) globals() error {
	r, n := w.reader(secGlobal)
	if n > maxGlobals {
		return fmt.Errorf("%d globals: at most %d", n, maxGlobals)
	}
	w.fuel = n
	content := appendU32(nil, n+1)
	for i := range n {
		kind, mutable := r.byte(), r.byte()
		content = w.expression(r, append(content, kind, mutable))
		if mutable == 0 {
			continue
		}
		switch string(kind) {
		case typeI32, typeI64, typeF32, typeF64:
			w.result.Globals = append(w.result.Globals, globalName(i))
		default:
			w.result.Restorable = false
		}
	}
	w.sections[secGlobal] = append(append(content, typeI64[0], 1), opI64Const, 0, opEnd)
	return r.end()
}

func globalName(index uint32) string { return Prefix + "g" + strconv.Itoa(int(index)) }

// exports moves the exported functions and adds the mutable globals.
func (w *rewriter) exports() error {
	r, n := w.reader(secExport)
	content := appendU32(nil, n+uint32(len(w.result.Globals))+1)
	for range n {
		name, kind, index := r.name(), r.byte(), r.u32()
		if strings.HasPrefix(name, Prefix) {
			return fmt.Errorf("names with %q are the host's own", Prefix)
		}
		switch {
		case kind == 0:
			index = w.function(r, index)
		case kind == 3 && index >= w.fuel:
			return fmt.Errorf("there is no global %d", index)
		}
		content = appendU32(append(appendName(content, name), kind), index)
	}
	for _, name := range w.result.Globals {
		index, err := strconv.Atoi(strings.TrimPrefix(name, Prefix+"g"))
		if err != nil {
			return err
		}
		content = appendU32(append(appendName(content, name), 3), uint32(index))
	}
	w.sections[secExport] = appendU32(append(appendName(content, FuelGlobal), 3), w.fuel)
	return r.end()
}

func (w *rewriter) start() error {
	if w.sections[secStart] == nil {
		return nil
	}
	r := &reader{data: w.sections[secStart]}
	w.sections[secStart] = appendU32(nil, w.function(r, r.u32()))
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
	if flags&1 == 0 {
		if flags&2 != 0 {
			dst = appendU32(dst, r.u32())
		}
		dst = w.expression(r, dst)
	}
	if flags&3 != 0 {
		dst = append(dst, r.byte())
	}
	n := r.count()
	dst = appendU32(dst, n)
	for range n {
		if flags&4 != 0 {
			dst = w.expression(r, dst)
		} else {
			dst = appendU32(dst, w.function(r, r.u32()))
		}
	}
	return dst
}

// data copies the data segments, whose offsets may be expressions.
func (w *rewriter) data() error {
	r, n := w.reader(secData)
	content := appendU32(nil, n)
	for range n {
		flags := r.u32()
		if flags > 2 {
			return fmt.Errorf("segment of kind %d is not supported", flags)
		}
		content = appendU32(content, flags)
		if flags == 2 {
			content = appendU32(content, r.u32())
		}
		if flags != 1 {
			content = w.expression(r, content)
		}
		bytes := r.take(r.u32())
		content = append(appendU32(content, uint32(len(bytes))), bytes...)
	}
	w.replace(secData, content)
	return r.end()
}

// expression copies a constant expression.
func (w *rewriter) expression(r *reader, dst []byte) []byte {
	for r.err == nil {
		i := r.next()
		dst = w.move(r, i, dst)
		if i.op == opEnd {
			break
		}
	}
	return dst
}

// move copies an instruction with its function moved.
func (w *rewriter) move(r *reader, i instr, dst []byte) []byte {
	switch i.op {
	case opCall, opRefFunc:
		return appendU32(append(dst, i.op), w.function(r, i.index))
	case opGlobalGet, opGlobalSet:
		w.global(r, i.index)
	}
	return append(dst, i.raw...)
}

// global makes sure that a global is the module's own.
func (w *rewriter) global(r *reader, index uint32) {
	if index >= w.fuel {
		r.fail(fmt.Errorf("there is no global %d", index))
	}
}
