package wasmbin

import (
	"cmp"
	"fmt"
)

// The fixed bounds. Go, C, Rust, AssemblyScript and JavaScript compile to at most 106 types, 25
// imports, 25 exports, 4,109 entries of elements and 75,028 data segments: each bound is at
// least ten times that.
const (
	maxTypes    = 10_000
	maxValues   = 25_000 // parameters and results of all types
	maxImports  = 2000
	maxTables   = 16
	maxExports  = 5000
	maxNames    = 1 << 20 // bytes of the names of imports and exports
	maxElements = 10_000
	maxEntries  = 65_536    // of all element segments, or as many as one table may have
	maxData     = 1_000_000 // before neighbors are joined: Go's linker writes tens of thousands
	maxJoined   = 100_000   // data segments left then; each instance keeps them

	maxPages     = 65536   // of any memory of WebAssembly
	maxLocals    = 50000   // of one function, as the engine has it
	maxAllLocals = 4 << 20 // of all functions: the engine sets each of them up

	// maxPairs is how many pairs of a function and an export there may be. The engine
	// looks through all exports for each function, a pair in a nanosecond.
	maxPairs = 200_000_000
)

// declared bounds a module's declarations, before anything is made of them. got is the number,
// zero or less of most means any number.
var declared = []struct {
	section byte
	limit   string
	got     func(*counts) int
	most    func(Options) int
}{
	{secType, "types", entriesOf(secType), always(maxTypes)},
	{secType, "parameters and results of all types", func(c *counts) int { return c.values }, always(maxValues)},
	{secImport, "imports", entriesOf(secImport), always(maxImports)},
	{secFunction, "functions", entriesOf(secFunction), func(o Options) int { return o.Functions }},
	{secTable, "tables", entriesOf(secTable), always(maxTables)},
	{secMemory, "memories", entriesOf(secMemory), always(1)},
	{secGlobal, "globals", entriesOf(secGlobal), func(o Options) int { return o.Globals }},
	{secExport, "exports", entriesOf(secExport), always(maxExports)},
	{secExport, "bytes of names", func(c *counts) int { return c.names }, always(maxNames)},
	{secElement, "element segments", entriesOf(secElement), always(maxElements)},
	{secElement, "table_entries of all element segments", func(c *counts) int { return c.entries }, func(o Options) int { return max(maxEntries, int(o.TableEntries)) }},
	{secData, "data segments", entriesOf(secData), always(maxData)},
	{secData, "instructions of one constant expression", func(c *counts) int { return c.longest }, always(1)},
}

func entriesOf(section byte) func(*counts) int {
	return func(c *counts) int { return int(c.sections[section]) }
}

func always(most int) func(Options) int { return func(Options) int { return most } }

// check refuses a binary with too many declarations.
func (s *sections) check(o Options) error {
	c, err := s.count()
	if err != nil {
		return err
	}
	for _, b := range declared {
		most := b.most(o)
		if err := atMost(b.limit, b.got(&c), most); err != nil && most > 0 {
			return &Error{Offset: s[b.section].offset, Where: sectionNames[b.section], Err: err}
		}
	}
	return nil
}

// Reading is the engine's maximum of bytes for reading the declarations of a module as Rewrite
// made it, or of its stub. The error means: it cannot be read, or would take too much time.
func Reading(wasm []byte) (bytes int64, err error) {
	s, err := split(wasm)
	if err != nil {
		return 0, err
	}
	c, err := s.count()
	if err != nil {
		return 0, err
	}
	return c.reading(int64(len(wasm))), c.checkRewritten()
}

// maxAdded is how many types Rewrite may add, and how many values for them.
const maxAdded = 1000

// checkRewritten bounds the counts visible only in the rewritten module, and the types again,
// because the engine compiles something for each: a stub may come from another process.
func (c *counts) checkRewritten() error {
	return cmp.Or(
		atMost("types", c.sections[secType], maxTypes+maxAdded),
		atMost("parameters and results of all types", c.values, maxValues+maxAdded),
		atMost("data segments after neighbors are joined", c.sections[secData], maxJoined),
		atMost("functions times exports", uint64(c.sections[secFunction])*uint64(c.sections[secExport]), maxPairs),
	)
}

// reading estimates the engine's allocations for the declarations: measured on wazero v1.12.0
// with 100,000 entries of each kind, garbage included, and rounded up. Of a type it makes a
// text, in steps, so 1,000 parameters take 1.5 MB.
func (c *counts) reading(file int64) int64 {
	total := file + int64(c.values)*1700 + int64(c.names)*2 + int64(c.entries)*100
	for section, each := range map[byte]int64{
		secType: 600, secImport: 300, secFunction: 600, secGlobal: 300, secExport: 300, secElement: 100, secData: 100,
	} {
		total += int64(c.sections[section]) * each
	}
	return total
}

func (w *rewriter) boundTables() error {
	r, n := w.reader(secTable)
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
