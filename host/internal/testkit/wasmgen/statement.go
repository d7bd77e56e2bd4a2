package wasmgen

import "slices"

// statement adds code without a result.
func (b *body) statement() {
	b.room--
	switch b.n(12) {
	case 0:
		b.set()
	case 1:
		b.store()
	case 2:
		i := b.n(len(b.callable()))
		b.call(i)
		for range b.functions[i].out {
			b.emit(opDrop)
		}
	case 3:
		b.nested()
	case 4:
		b.leave()
	case 5, 6:
		b.memoryBulk()
	case 7, 8:
		b.tableBulk()
	case 9:
		b.drop()
	case 10:
		typ := pick(&b.choices, allTypes)
		b.expr(typ)
		b.emit(opDrop)
	default:
		b.emit(opNop)
	}
}

// set changes a local or a global.
func (b *body) set() {
	i := b.n(len(b.locals) + len(b.globals))
	if i < len(b.locals) {
		b.expr(b.locals[i])
		b.index(opLocalSet, i)
		return
	}
	if i -= len(b.locals); i != budgetGlobal && b.globals[i].mutable {
		b.expr(b.globals[i].typ)
		b.index(opGlobalSet, i)
	}
}

func (b *body) store() {
	if !b.memory {
		return
	}
	a := pick(&b.choices, stores)
	b.address()
	b.expr(a.typ)
	b.access(a)
}

// nested adds a block of statements; it drops their results.
func (b *body) nested() {
	s := signature{b.someTypes(2), b.someTypes(2)}
	b.exprs(s.in)
	op := pick(&b.choices, []byte{opBlock, opLoop, opIf})
	if op == opIf {
		b.expr(i32)
	}
	b.block(op, s)
	for _, typ := range slices.Backward(s.out) {
		b.consume(typ)
	}
}

// leave adds a conditional or unconditional branch.
func (b *body) leave() {
	if b.one(4) {
		b.jump()
		return
	}
	depth, types := b.branch()
	b.expr(i32)
	b.index(opBrIf, depth)
	for _, typ := range slices.Backward(types) {
		b.consume(typ)
	}
}

func (b *body) memoryBulk() {
	if !b.memory {
		return
	}
	length := 1 + b.n(100)
	if b.one(6) {
		length *= 600 // some are large
	}
	switch b.n(3) {
	case 0:
		b.address()
		b.expr(i32)
		b.small(length)
		b.misc(miscMemoryFill, 0)
	case 1:
		b.address()
		b.address()
		b.small(length)
		b.misc(miscMemoryCopy, 0, 0)
	case 2:
		if b.dataCount > 0 {
			b.address()
			b.small(b.n(3))
			b.small(b.n(10))
			b.misc(miscMemoryInit, b.n(b.dataCount), 0)
		}
	}
}

func (b *body) tableBulk() {
	if len(b.tables) == 0 {
		return
	}
	table := b.n(len(b.tables))
	typ := b.tables[table]
	switch b.n(4) {
	case 0:
		b.small(b.n(5))
		b.expr(typ)
		b.index(opTableSet, table)
	case 1:
		b.small(b.n(5))
		b.expr(typ)
		b.small(b.n(4))
		b.misc(miscTableFill, table)
	case 2:
		from := b.tableOf(typ)
		b.three()
		b.misc(miscTableCopy, table, from)
	case 3:
		segment := b.chooseIndex(len(b.elements), func(i int) bool { return b.elements[i] == typ })
		if segment >= 0 {
			b.three()
			b.misc(miscTableInit, segment, table)
		}
	}
}

// three adds a place to write to, one to read from, and a length.
func (b *body) three() {
	b.small(b.n(4))
	b.small(b.n(4))
	b.small(b.n(4))
}

// drop adds a drop of a segment.
func (b *body) drop() {
	if b.dataCount > 0 && b.one(2) {
		b.misc(miscDataDrop, b.n(b.dataCount))
		return
	}
	b.misc(miscElemDrop, b.n(len(b.elements)))
}
