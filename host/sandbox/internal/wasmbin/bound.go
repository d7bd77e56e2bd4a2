package wasmbin

import (
	"fmt"
)

// The bounds that nobody sets.
const (
	maxTables    = 16
	maxPages     = 65536   // of any memory of WebAssembly
	maxLocals    = 50000   // of one function, as the engine has it
	maxAllLocals = 4 << 20 // of all functions: the engine sets each of them up
)

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
