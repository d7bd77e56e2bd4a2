package wasmbin

// Helpers are functions added by Rewrite after the module's own: they charge for work that
// depends on operands and do it in pieces, so a guest checks often enough whether it may go on.

// The prices by size.
const (
	// bytesShift: moving or writing 8 bytes of memory is a unit; touching a page
	// for the first time is the larger part of it.
	bytesShift = 3
	// bulkBytes is how much is moved at once: some ten microseconds.
	bulkBytes = 256 << 10
	// pageCost is the price of a page more memory, as if it were filled.
	pageCost = 65536 >> bytesShift
)

type helperKind uint8

const (
	helperFill      helperKind = iota // memory.fill
	helperCopy                        // memory.copy
	helperInit                        // memory.init, index is the segment
	helperGrow                        // memory.grow
	helperEntries                     // (n) -> (n), charges for n entries of a table
	helperTableInit                   // table.init, index is the segment, second the table
	helperTableGrow                   // table.grow, index is the table
	helperSave                        // SaveName
	helperRestore                     // RestoreName
)

type helperKey struct {
	kind          helperKind
	index, second uint32
}

type helper struct {
	helperKey
	typ       functionType
	typeIndex uint32
}

// helper returns the index of a helper, adding it if needed.
func (w *rewriter) helper(key helperKey, typ functionType) uint32 {
	index, ok := w.helperAt[key]
	if !ok {
		index = uint32(len(w.functions)) + addedImports + uint32(len(w.helpers))
		w.helperAt[key] = index
		w.helpers = append(w.helpers, helper{key, typ, w.typeIndex(typ.params, typ.results)})
	}
	return index
}

const threeI32 = typeI32 + typeI32 + typeI32

// replaced returns the helper in place of an instruction, if any.
func (w *rewriter) replaced(i *instr) (index uint32, ok bool) {
	if i.op == opMisc {
		if index, ok := w.stateHelper(i); ok {
			return index, true
		}
	}
	if w.opts.Unmetered {
		return 0, false
	}
	if i.op == opMemoryGrow {
		return w.helper(helperKey{kind: helperGrow}, functionType{typeI32, typeI32}), true
	}
	if i.op != opMisc {
		return 0, false
	}
	switch i.misc {
	case miscMemoryFill:
		return w.helper(helperKey{kind: helperFill}, functionType{threeI32, ""}), true
	case miscMemoryCopy:
		return w.helper(helperKey{kind: helperCopy}, functionType{threeI32, ""}), true
	case miscMemoryInit:
		return w.helper(helperKey{kind: helperInit, index: i.index}, functionType{threeI32, ""}), true
	}
	return 0, false
}

// preceded returns the helper to call before an instruction, if there is one:
// it takes the number on top of the stack and returns it.
func (w *rewriter) preceded(i *instr) (index uint32, ok bool) {
	if w.opts.Unmetered || i.op != opMisc {
		return 0, false
	}
	switch i.misc {
	case miscTableInit, miscTableCopy, miscTableFill, miscTableGrow:
		return w.helper(helperKey{kind: helperEntries}, functionType{typeI32, typeI32}), true
	}
	return 0, false
}

// addHelpers declares the helpers and writes their bodies.
func (w *rewriter) addHelpers() {
	if len(w.helpers) == 0 {
		return
	}
	r, n := w.reader(secFunction)
	functions := append(appendU32(nil, n+uint32(len(w.helpers))), r.data[r.pos:]...)
	r, n = w.reader(secCode)
	code := append(make([]byte, 0, len(r.data)+256*len(w.helpers)), r.data[r.pos:]...)
	for _, h := range w.helpers {
		functions = appendU32(functions, h.typeIndex)
		body := w.helperBody(h)
		code = append(appendU32(code, uint32(len(body))), body...)
	}
	w.set(secFunction, functions)
	w.set(secCode, append(appendU32(nil, n+uint32(len(w.helpers))), code...))
}

func (w *rewriter) helperBody(h helper) []byte {
	switch h.kind {
	case helperFill:
		return w.chunked([]byte{opMisc, miscMemoryFill, 0}, false, false)
	case helperCopy:
		return w.chunked([]byte{opMisc, miscMemoryCopy, 0, 0}, true, true)
	case helperInit:
		return w.initBody(h)
	case helperTableInit:
		return w.tableInitBody(h)
	case helperTableGrow:
		return w.tableGrowBody(h)
	case helperSave:
		return w.saveBody()
	case helperRestore:
		return w.restoreBody()
	case helperGrow:
		return w.growBody()
	default:
		return w.entriesBody()
	}
}

// growBody is (pages) -> (old pages or -1). Growing by more than there may ever
// be fails at once, and costs no more than growing by all.
func (w *rewriter) growBody() []byte {
	dst := w.beginCharge([]byte{0})
	dst = append(appendAtMost(dst, w.result.MemoryPages), opI64ExtendU, opI64Const)
	dst = w.endCharge(append(appendI64(dst, pageCost), opI64Mul))
	return append(dst, opLocalGet, 0, opMemoryGrow, 0, opEnd)
}

// entriesBody is (n) -> (n). More than a table can have traps.
func (w *rewriter) entriesBody() []byte {
	dst := w.beginCharge([]byte{0})
	dst = w.endCharge(append(appendAtMost(dst, w.opts.TableEntries), opI64ExtendU))
	return append(dst, opLocalGet, 0, opEnd)
}

// appendAtMost leaves the smaller one of the first parameter and most.
func appendAtMost(dst []byte, most uint32) []byte {
	limit := func(dst []byte) []byte { return appendI64(append(dst, opI32Const), int64(int32(most))) }
	dst = limit(append(dst, opLocalGet, 0))
	dst = limit(append(dst, opLocalGet, 0))
	return append(dst, opI32LtU, opSelect)
}

// The parameters of a chunked helper. For memory.fill, from is the value.
const (
	localTo   = 0
	localFrom = 1
	localN    = 2
)

// chunked is the body of a bulk instruction on memory: a short one at once, a long one in
// pieces of bulkBytes, each paid before it is done. sourced means: localFrom is an address too;
// overlap: the source may be overwritten on the way, so moves upwards must begin at its end.
//
// A long one out of bounds anywhere must trap before the first write. The instruction itself
// checks, with length 0 at both ends. Where an end is beyond 32 bits, it traps as it is.
func (w *rewriter) chunked(op []byte, sourced, overlap bool) []byte {
	do := func(dst []byte) []byte {
		return append(append(dst, opLocalGet, localTo, opLocalGet, localFrom, opLocalGet, localN), op...)
	}
	bulk := func(dst []byte) []byte { return appendI64(append(dst, opI32Const), bulkBytes) }
	more := func(dst []byte) []byte { // go round again
		return append(bulk(append(dst, opLocalGet, localN)), opI32GtU, opBrIf, 0, opEnd)
	}
	dst := []byte{0, opBlock, blockEmpty} // no more locals
	dst = append(bulk(append(dst, opLocalGet, localN)), opI32LeU, opBrIf, 0)
	dst = appendWraps(dst, localTo)
	if sourced {
		dst = append(appendWraps(dst, localFrom), opI32Or)
	}
	dst = append(do(append(dst, opIf, blockEmpty)), opUnreachable, opEnd)
	dst = appendSum(dst, localTo)
	if sourced {
		dst = appendSum(dst, localFrom)
	} else {
		dst = append(dst, opLocalGet, localFrom)
	}
	dst = append(append(dst, opI32Const, 0), op...)
	if overlap {
		dst = append(dst, opLocalGet, localTo, opLocalGet, localFrom, opI32GtU, opIf, blockEmpty, opLoop, blockEmpty)
		dst = w.charge(dst, bulkBytes>>bytesShift)
		dst = append(bulk(append(dst, opLocalGet, localN)), opI32Sub, opLocalSet, localN)
		dst = append(bulk(appendSum(appendSum(dst, localTo), localFrom)), op...)
		dst = append(more(dst), opBr, 1, opEnd)
	}
	dst = w.charge(append(dst, opLoop, blockEmpty), bulkBytes>>bytesShift)
	dst = append(bulk(append(dst, opLocalGet, localTo, opLocalGet, localFrom)), op...)
	dst = append(bulk(append(dst, opLocalGet, localTo)), opI32Add, opLocalSet, localTo)
	if sourced {
		dst = append(bulk(append(dst, opLocalGet, localFrom)), opI32Add, opLocalSet, localFrom)
	}
	dst = append(bulk(append(dst, opLocalGet, localN)), opI32Sub, opLocalSet, localN)
	dst = append(more(dst), opEnd)
	dst = append(w.beginCharge(dst), opLocalGet, localN, opI32Const, bytesShift, opI32ShrU, opI64ExtendU)
	return append(do(w.endCharge(dst)), opEnd)
}

// appendSum leaves a parameter and localN, added.
func appendSum(dst []byte, local byte) []byte {
	return append(dst, opLocalGet, local, opLocalGet, localN, opI32Add)
}

// appendWraps leaves whether the sum is beyond 32 bits.
func appendWraps(dst []byte, local byte) []byte {
	return append(appendSum(dst, local), opLocalGet, local, opI32LtU)
}
