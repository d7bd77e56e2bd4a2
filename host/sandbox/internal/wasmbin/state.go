package wasmbin

import "fmt"

// What a call can change for good is linear memory, mutable globals, tables, and
// which segments are dropped. A host restores memory and globals of numbers by
// itself. For the rest Rewrite adds:
//
//   - to each passive segment that the module drops a flag, a mutable global of
//     Result.Globals. The segment itself is never dropped; what reads it behaves
//     as if it were when the flag is set.
//   - to each table that instructions change and each mutable global that holds
//     a vector or a reference a shadow, which no instruction of the module can
//     reach, and the exports SaveName and RestoreName, () -> (), that copy all of
//     them to and from their shadows. RestoreName does so only when something
//     has changed. Neither is metered: 16 tables of 65,536 entries take about
//     1.5 ms, by BenchmarkState.
//
// What no host can restore in place is the size: a memory or a table that grew.

// The exports of a module with Result.Kept, beside its globals.
const (
	SaveName    = Prefix + "save"
	RestoreName = Prefix + "restore"
	// DirtyGlobal is an exported mutable i32 global: one of the Dirty values. The
	// host reads it only; SaveName and RestoreName set it back to DirtyNot.
	DirtyGlobal = Prefix + "dirty"
)

// What DirtyGlobal tells of the tables and globals that have shadows.
const (
	// DirtyNot: nothing has changed.
	DirtyNot = 0
	// DirtyRestore: RestoreName puts back what has changed.
	DirtyRestore = 1
	// DirtyGrown: a table has grown; only a new instance is as new.
	DirtyGrown = 2
)

// segment tells of a data or element segment.
type segment struct {
	kind  byte // secData or secElement
	index uint32
}

// table is a declared table, its limits bound by the options.
type table struct {
	kind      byte // its type
	low, high uint32
}

// kept is what Rewrite adds to keep state, in the order in which its body pass
// meets the need.
type kept struct {
	data, elements []bool             // segments; true for passive ones
	flags          map[segment]uint32 // global index
	flagList       []uint32           // the same in the order of their making
	tables         []table            // the module's own
	shadowed       []uint32           // tables; their shadows come after the module's own, in this order
	wide           map[uint32]byte    // mutable globals of vectors or references: the type
	saved          []keptGlobal
	dirty          uint32 // index of the dirty global, 0 when there is none
	added          []byte // globals
	globals        uint32 // how many are in added
}

// keptGlobal is a global and its shadow.
type keptGlobal struct{ index, shadow uint32 }

func newKept() kept { return kept{flags: map[segment]uint32{}, wide: map[uint32]byte{}} }

// segment tells whether a segment is passive, and whether it is there at all.
func (k *kept) segment(s segment) (passive, declared bool) {
	list := k.data
	if s.kind == secElement {
		list = k.elements
	}
	if int(s.index) >= len(list) {
		return false, false
	}
	return list[s.index], true
}

// addGlobal appends a mutable global that is zero or null, and returns its index.
func (w *rewriter) addGlobal(kind byte) uint32 {
	w.kept.added = append(w.kept.added, kind, 1)
	w.kept.added = append(append(w.kept.added, zero(kind)...), opEnd)
	w.kept.globals++
	return w.stack + w.kept.globals
}

// zero is the constant of a type that a new global or local holds.
func zero(kind byte) []byte {
	switch kind {
	case typeV128:
		return append([]byte{opVector, 12}, make([]byte, 16)...)
	case typeFuncref, typeExternref:
		return []byte{opRefNull, kind}
	default:
		return []byte{opI32Const, 0}
	}
}

// flag returns the global that tells whether a passive segment is dropped.
func (w *rewriter) flag(s segment) uint32 {
	index, ok := w.kept.flags[s]
	if !ok {
		index = w.addGlobal(typeI32[0])
		w.kept.flags[s] = index
		w.kept.flagList = append(w.kept.flagList, index)
		w.result.Globals = append(w.result.Globals, globalName(index))
	}
	return index
}

// keep makes sure that there are a dirty global and the shadow of a table.
func (w *rewriter) keep(table uint32) {
	w.keepAny()
	for _, t := range w.kept.shadowed {
		if t == table {
			return
		}
	}
	w.kept.shadowed = append(w.kept.shadowed, table)
}

// keepGlobal is keep for a global, when it is one that needs a shadow.
func (w *rewriter) keepGlobal(index uint32) bool {
	kind, ok := w.kept.wide[index]
	if !ok {
		return false
	}
	w.keepAny()
	for _, g := range w.kept.saved {
		if g.index == index {
			return true
		}
	}
	w.kept.saved = append(w.kept.saved, keptGlobal{index, w.addGlobal(kind)})
	return true
}

func (w *rewriter) keepAny() {
	if w.kept.dirty == 0 {
		w.kept.dirty = w.addGlobal(typeI32[0])
	}
}

// checkTable makes sure that a table is the module's own, and not a shadow.
func (w *rewriter) checkTable(r *reader, start int, index uint32) {
	if int(index) >= len(w.kept.tables) {
		r.failAt(start, fmt.Errorf("there is no table %d", index))
	}
}

// lasting edits an instruction that changes what lasts, other than linear memory
// and globals of numbers, and makes sure that it changes only the module's own.
func (b *body) lasting(i *instr) {
	switch i.op {
	case opGlobalSet:
		if b.w.keepGlobal(i.index) {
			b.mark(i)
		}
	case opTableGet, opTableSet:
		b.table(i, i.index, i.op == opTableSet)
	case opCallIndirect:
		b.table(i, i.second, false)
	case opMisc:
		b.lastingMisc(i)
	}
}

func (b *body) lastingMisc(i *instr) {
	switch i.misc {
	case miscDataDrop:
		b.drop(i, segment{secData, i.index})
	case miscElemDrop:
		b.drop(i, segment{secElement, i.index})
	case miscTableInit:
		b.table(i, i.second, true)
	case miscTableCopy:
		b.table(i, i.second, false)
		b.table(i, i.index, true)
	case miscTableFill:
		b.table(i, i.index, true)
	case miscTableGrow:
		b.table(i, i.index, false) // what is in it stays; its helper tells when it grew
		b.w.keepAny()
	case miscTableSize:
		b.table(i, i.index, false)
	}
}

// table makes sure that a table is the module's own and no shadow, and notes
// that it is written to.
func (b *body) table(i *instr, table uint32, written bool) {
	if b.w.checkTable(&b.reader, i.start, table); b.err == nil && written {
		b.w.keep(table)
		b.mark(i)
	}
}

// mark adds the edit that sets the dirty global before an instruction.
func (b *body) mark(i *instr) {
	b.edits = append(b.edits, edit{kind: editMark, at: i.start, end: i.start})
}

// drop edits a drop of a segment. One that is not passive is dropped once the
// module has started; the instruction does nothing then, and stays.
func (b *body) drop(i *instr, s segment) {
	passive, declared := b.w.kept.segment(s)
	switch {
	case !declared:
		b.failAt(i.start, fmt.Errorf("there is no segment %d", i.index))
	case s.kind == secData && b.w.sections[secDataCount].content == nil:
		b.failAt(i.start, fmt.Errorf("data segment %d is dropped without a data count section", i.index))
	case passive:
		b.edits = append(b.edits, edit{kind: editDrop, at: i.start, end: b.pos, index: b.w.flag(s)})
	}
}

// appendMark sets the dirty global, unless more than that is known.
func (w *rewriter) appendMark(dst []byte) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.kept.dirty)
	dst = append(dst, opI32Eqz, opIf, blockEmpty)
	return append(w.appendDirty(dst, DirtyRestore), opEnd)
}

func (w *rewriter) appendDirty(dst []byte, to byte) []byte {
	return appendU32(append(dst, opI32Const, to, opGlobalSet), w.kept.dirty)
}

// appendDrop sets a flag.
func appendDrop(dst []byte, flag uint32) []byte {
	return appendU32(append(dst, opI32Const, 1, opGlobalSet), flag)
}

// appendDropped begins a helper that reads a passive segment. When it is dropped
// it has length zero: reading nothing from its start is all right, everything
// else is out of bounds, as reading from 2^32-1 is.
func (w *rewriter) appendDropped(dst []byte, s segment) []byte {
	flag, ok := w.kept.flags[s]
	if !ok {
		return dst
	}
	dst = appendU32(append(dst, opGlobalGet), flag)
	dst = append(dst, opIf, blockEmpty, opLocalGet, localFrom, opLocalGet, localN, opI32Or, opIf, blockEmpty)
	return append(dst, opI32Const, 0x7f, opLocalSet, localFrom, opEnd, opEnd)
}

// stateHelper returns the helper that does an instruction on a passive segment, or
// one that grows a table.
func (w *rewriter) stateHelper(i *instr) (index uint32, ok bool) {
	switch i.misc {
	case miscMemoryInit:
		if passive, _ := w.kept.segment(segment{secData, i.index}); passive {
			return w.helper(helperKey{kind: helperInit, index: i.index}, functionType{threeI32, ""}), true
		}
	case miscTableInit:
		if passive, _ := w.kept.segment(segment{secElement, i.index}); passive {
			return w.helper(helperKey{helperTableInit, i.index, i.second}, functionType{threeI32, ""}), true
		}
	case miscTableGrow:
		kind := string(w.kept.tables[i.index].kind)
		return w.helper(helperKey{kind: helperTableGrow, index: i.index}, functionType{kind + typeI32, typeI32}), true
	}
	return 0, false
}

// initBody is (to, from, n) -> () on segment h.index.
func (w *rewriter) initBody(h helper) []byte {
	op := append(appendU32([]byte{opMisc, miscMemoryInit}, h.index), 0)
	dst := w.appendDropped([]byte{0}, segment{secData, h.index})
	if !w.opts.Unmetered {
		return append(dst, w.chunked(op, true, false)[1:]...) // the same parameters, no more locals
	}
	dst = append(dst, opLocalGet, localTo, opLocalGet, localFrom, opLocalGet, localN)
	return append(append(dst, op...), opEnd)
}

// tableInitBody is (to, from, n) -> () on segment h.index and table h.second.
func (w *rewriter) tableInitBody(h helper) []byte {
	dst := w.appendDropped([]byte{0}, segment{secElement, h.index})
	dst = append(dst, opLocalGet, localTo, opLocalGet, localFrom, opLocalGet, localN, opMisc, miscTableInit)
	return append(appendU32(appendU32(dst, h.index), h.second), opEnd)
}

// tableGrowBody is (value, n) -> (old size or -1) on table h.index.
func (w *rewriter) tableGrowBody(h helper) []byte {
	dst := []byte{1, 1, typeI32[0], opLocalGet, 0, opLocalGet, 1, opMisc, miscTableGrow} // one more local
	dst = append(appendU32(dst, h.index), opLocalTee, 2, opI32Const, 0x7f, opI32Ne, opIf, blockEmpty)
	dst = append(dst, opLocalGet, 1, opIf, blockEmpty)
	return append(w.appendDirty(dst, DirtyGrown), opEnd, opEnd, opLocalGet, 2, opEnd)
}

// saveBody copies all that has a shadow there.
func (w *rewriter) saveBody() []byte {
	dst := []byte{0}
	for k, t := range w.kept.shadowed {
		shadow := w.shadowOf(k)
		size := func(dst []byte, t uint32) []byte { return appendU32(append(dst, opMisc, miscTableSize), t) }
		dst = append(dst, opRefNull, w.kept.tables[t].kind)
		dst = append(size(size(dst, t), shadow), opI32Sub, opMisc, miscTableGrow)
		dst = append(appendU32(dst, shadow), opDrop)
		dst = appendTableCopy(dst, shadow, t)
	}
	for _, g := range w.kept.saved {
		dst = appendGlobalCopy(dst, g.shadow, g.index)
	}
	return append(w.appendDirty(dst, DirtyNot), opEnd)
}

// restoreBody copies it back, when something has changed.
func (w *rewriter) restoreBody() []byte {
	dst := appendU32([]byte{0, opGlobalGet}, w.kept.dirty)
	dst = append(dst, opIf, blockEmpty)
	for k, t := range w.kept.shadowed {
		dst = appendTableCopy(dst, t, w.shadowOf(k))
	}
	for _, g := range w.kept.saved {
		dst = appendGlobalCopy(dst, g.index, g.shadow)
	}
	return append(w.appendDirty(dst, DirtyNot), opEnd, opEnd)
}

func (w *rewriter) shadowOf(k int) uint32 { return uint32(len(w.kept.tables) + k) }

// appendTableCopy copies all of one table, which the other one has room for.
func appendTableCopy(dst []byte, to, from uint32) []byte {
	dst = appendU32(append(dst, opI32Const, 0, opI32Const, 0, opMisc, miscTableSize), from)
	return appendU32(appendU32(append(dst, opMisc, miscTableCopy), to), from)
}

func appendGlobalCopy(dst []byte, to, from uint32) []byte {
	dst = appendU32(append(dst, opGlobalGet), from)
	return appendU32(append(dst, opGlobalSet), to)
}

// addState adds what the body pass has found to be needed.
func (w *rewriter) addState() {
	w.result.Kept = w.kept.dirty != 0
	if w.kept.globals == 0 {
		return
	}
	r, n := w.reader(secGlobal)
	w.set(secGlobal, append(append(appendU32(nil, n+w.kept.globals), r.data[r.pos:]...), w.kept.added...))
	r, n = w.reader(secTable)
	content := append(appendU32(nil, n+uint32(len(w.kept.shadowed))), r.data[r.pos:]...)
	for _, t := range w.kept.shadowed {
		own := w.kept.tables[t]
		content = appendLimits(append(content, own.kind), own.low, own.high)
	}
	w.replace(secTable, content)
	r, n = w.reader(secExport)
	content = append([]byte(nil), r.data[r.pos:]...)
	export := func(name string, kind byte, index uint32) {
		content = appendU32(append(appendName(content, name), kind), index)
		n++
	}
	for _, flag := range w.kept.flagList {
		export(globalName(flag), 3, flag)
	}
	if w.result.Kept {
		export(DirtyGlobal, 3, w.kept.dirty)
		export(SaveName, 0, w.helper(helperKey{kind: helperSave}, functionType{}))
		export(RestoreName, 0, w.helper(helperKey{kind: helperRestore}, functionType{}))
	}
	w.set(secExport, append(appendU32(nil, n), content...))
}
