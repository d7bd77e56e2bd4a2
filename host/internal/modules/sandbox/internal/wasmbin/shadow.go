package wasmbin

// appendMark sets the dirty global, unless it has a stronger value.
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

// appendDropped begins a helper for reading a segment. A dropped segment has length zero:
// reading nothing from its start is all right, everything else is out of bounds, as reading
// from 2^32-1 is.
func (w *rewriter) appendDropped(dst []byte, s segment) []byte {
	flag, ok := w.kept.flags[s]
	if !ok {
		return dst
	}
	dst = appendU32(append(dst, opGlobalGet), flag)
	dst = append(dst, opIf, blockEmpty, opLocalGet, localFrom, opLocalGet, localN, opI32Or, opIf, blockEmpty)
	return append(dst, opI32Const, 0x7f, opLocalSet, localFrom, opEnd, opEnd)
}

// stateHelper returns the helper in place of an instruction on a kept segment, or of a
// table.grow.
func (w *rewriter) stateHelper(i *instr) (index uint32, ok bool) {
	switch i.misc {
	case miscMemoryInit:
		if keeps, _ := w.kept.segment(segment{secData, i.index}); keeps {
			return w.helper(helperKey{kind: helperInit, index: i.index}, functionType{threeI32, ""}), true
		}
	case miscTableInit:
		if keeps, _ := w.kept.segment(segment{secElement, i.index}); keeps {
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

// saveBody copies all shadowed state to its shadows.
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

// appendTableCopy copies all of one table to another with enough room.
func appendTableCopy(dst []byte, to, from uint32) []byte {
	dst = appendU32(append(dst, opI32Const, 0, opI32Const, 0, opMisc, miscTableSize), from)
	return appendU32(appendU32(append(dst, opMisc, miscTableCopy), to), from)
}

func appendGlobalCopy(dst []byte, to, from uint32) []byte {
	dst = appendU32(append(dst, opGlobalGet), from)
	return appendU32(append(dst, opGlobalSet), to)
}

// addState adds the parts needed according to the body pass.
func (w *rewriter) addState() {
	w.result.Kept = w.kept.dirty != 0
	if w.kept.globals == 0 {
		return
	}
	r, n := w.reader(secGlobal)
	w.set(secGlobal, append(append(appendU32(nil, n+w.kept.globals), r.data[r.pos:]...), w.kept.added...))
	w.addShadowTables()
	w.addStateExports()
}

func (w *rewriter) addShadowTables() {
	r, n := w.reader(secTable)
	content := append(appendU32(nil, n+uint32(len(w.kept.shadowed))), r.data[r.pos:]...)
	for _, t := range w.kept.shadowed {
		own := w.kept.tables[t]
		content = appendLimits(append(content, own.kind), own.low, own.high)
	}
	w.replace(secTable, content)
}

func (w *rewriter) addStateExports() {
	r, n := w.reader(secExport)
	content := append([]byte(nil), r.data[r.pos:]...)
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
