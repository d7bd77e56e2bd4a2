package wasmbin

import "fmt"

// A call's lasting changes are to linear memory, mutable globals, tables, and the set of
// dropped segments. A host restores memory and globals of numbers by itself. For the rest
// Rewrite adds:
//
//   - to each segment dropped by the module, and kept by the engine until
//     then, a flag, a mutable global of Result.Globals. The segment itself is
//     never dropped; its readers behave as if it were when the flag is set.
//   - to each table changed by instructions and each mutable global with
//     a vector or a reference a shadow, which no instruction of the module can
//     reach, and the exports SaveName and RestoreName, () -> (), that copy all of
//     them to and from their shadows. RestoreName does so only when something
//     has changed. Neither is metered: 16 tables of 65,536 entries take about
//     1.5 ms, by BenchmarkState.
//
// No host can restore a size in place: that of a grown memory or table.

// The exports of a module with Result.Kept, beside its globals.
const (
	SaveName    = Prefix + "save"
	RestoreName = Prefix + "restore"
	// DirtyGlobal is an exported mutable i32 global: one of the Dirty values. The
	// host reads it only; SaveName and RestoreName set it back to DirtyNot.
	DirtyGlobal = Prefix + "dirty"
)

// The values of DirtyGlobal for the shadowed tables and globals.
const (
	// DirtyNot: nothing has changed.
	DirtyNot = 0
	// DirtyRestore: RestoreName restores the changes.
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

// kept are Rewrite's additions for keeping state, in the order of need in its body pass.
type kept struct {
	data, elements []bool             // segments; true for those kept by the engine
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

// segment reports whether the engine keeps a segment until it is dropped, and whether it exists
// at all. By the specification all but passive ones are dropped once the module has started;
// wazero keeps data segments all the same.
func (k *kept) segment(s segment) (keeps, declared bool) {
	list := k.data
	if s.kind == secElement {
		list = k.elements
	}
	if int(s.index) >= len(list) {
		return false, false
	}
	return list[s.index], true
}

// addGlobal appends a mutable global of zero or null, and returns its index.
func (w *rewriter) addGlobal(kind byte) uint32 {
	w.kept.added = append(w.kept.added, kind, 1)
	w.kept.added = append(append(w.kept.added, zero(kind)...), opEnd)
	w.kept.globals++
	return w.stack + w.kept.globals
}

// zero is the initial constant of a new global or local of a type.
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

// flag returns the global for a dropped segment.
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

// keep adds, if needed, a dirty global and the shadow of a table.
func (w *rewriter) keep(table uint32) {
	w.keepAny()
	for _, t := range w.kept.shadowed {
		if t == table {
			return
		}
	}
	w.kept.shadowed = append(w.kept.shadowed, table)
}

// keepGlobal is keep for a global, if it needs a shadow.
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

// checkTable checks that a table is the module's own, and not a shadow.
func (w *rewriter) checkTable(r *reader, start int, index uint32) {
	if int(index) >= len(w.kept.tables) {
		r.failAt(start, fmt.Errorf("there is no table %d", index))
	}
}

// lasting edits an instruction with lasting changes outside linear memory and globals of
// numbers, and checks that it changes only the module's own.
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
		b.table(i, i.index, false) // its content stays; the helper reports its growth
		b.w.keepAny()
	case miscTableSize:
		b.table(i, i.index, false)
	}
}

// table checks that a table is the module's own and no shadow, and notes a write to it.
func (b *body) table(i *instr, table uint32, written bool) {
	if b.w.checkTable(&b.reader, i.start, table); b.err == nil && written {
		b.w.keep(table)
		b.mark(i)
	}
}

// mark adds the edit setting the dirty global before an instruction.
func (b *body) mark(i *instr) {
	b.edits = append(b.edits, edit{kind: editMark, at: i.start, end: i.start})
}

// drop edits a drop of a segment. Without a kept segment there is nothing to drop; the
// instruction stays.
func (b *body) drop(i *instr, s segment) {
	keeps, declared := b.w.kept.segment(s)
	switch {
	case !declared:
		b.failAt(i.start, fmt.Errorf("there is no segment %d", i.index))
	case s.kind == secData && b.w.sections[secDataCount].content == nil:
		b.failAt(i.start, fmt.Errorf("data segment %d is dropped without a data count section", i.index))
	case keeps:
		b.edits = append(b.edits, edit{kind: editDrop, at: i.start, end: b.pos, index: b.w.flag(s)})
	}
}
