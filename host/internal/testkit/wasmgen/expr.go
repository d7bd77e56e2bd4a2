package wasmgen

import "slices"

// maxDepth is how deep expressions nest.
const maxDepth = 6

func (b *body) exprs(types []valType) {
	for _, typ := range types {
		b.expr(typ)
	}
}

// expr adds code for one value.
func (b *body) expr(typ valType) {
	b.room--
	if b.depth >= maxDepth || b.room <= 0 {
		b.leaf(typ)
		return
	}
	b.depth++
	defer func() { b.depth-- }()
	switch b.n(16) {
	case 0, 1, 2:
		b.leaf(typ)
	case 3:
		b.choose(typ)
	case 4:
		b.exprBlock(typ)
	case 5:
		b.exprIf(typ)
	case 6:
		b.callFor(typ)
	case 7:
		b.maybeBranch(typ)
	case 8:
		b.load(typ)
	case 9:
		b.ask(typ)
	default:
		b.operation(typ)
	}
}

// leaf adds the shortest code for a value.
func (b *body) leaf(typ valType) {
	local := b.local(typ)
	global := b.chooseIndex(len(b.globals), func(i int) bool { return b.globals[i].typ == typ })
	switch b.n(3) {
	case 1:
		if local >= 0 {
			b.index(opLocalGet, local)
			return
		}
	case 2:
		if global >= 0 {
			b.index(opGlobalGet, global)
			return
		}
	}
	if typ == funcref && b.n(2) == 1 {
		b.index(opRefFunc, b.n(len(b.callable())))
		return
	}
	b.emit(constant(typ, b.u64())...)
}

// choose adds a select; one of references names its type.
func (b *body) choose(typ valType) {
	b.expr(typ)
	b.expr(typ)
	b.expr(i32)
	if typ == funcref || typ == externref || b.one(3) {
		b.emit(opSelectT, 1, typ)
	} else {
		b.emit(opSelect)
	}
}

func (b *body) exprBlock(typ valType) {
	s := signature{b.someTypes(2), []valType{typ}}
	b.exprs(s.in)
	b.block(pick(&b.choices, []byte{opBlock, opLoop}), s)
}

func (b *body) exprIf(typ valType) {
	s := signature{b.someTypes(1), []valType{typ}}
	b.exprs(s.in)
	b.expr(i32)
	b.block(opIf, s)
}

// maybeBranch adds a conditional branch with the value.
func (b *body) maybeBranch(typ valType) {
	i := b.chooseIndex(len(b.labels), func(i int) bool { return slices.Equal(b.labels[i], []valType{typ}) })
	b.expr(typ)
	if i >= 0 {
		b.expr(i32)
		b.index(opBrIf, len(b.labels)-1-i)
	}
}

// callFor calls a function with a result of the type and drops the others, or sets a local to
// the rest.
func (b *body) callFor(typ valType) {
	i := b.chooseIndex(len(b.callable()), func(i int) bool { return slices.Contains(b.functions[i].out, typ) })
	if i < 0 {
		b.leaf(typ)
		return
	}
	out := b.functions[i].out
	b.call(i)
	for range len(out) - 1 - slices.Index(out, typ) {
		b.emit(opDrop)
	}
	if first := slices.Index(out, typ); first > 0 { // below it are others
		b.block(opBlock, signature{out[:first+1], []valType{typ}})
	}
}

// call adds a call, by a table when there is one and chance wants it.
func (b *body) call(i int) {
	s := b.functions[i]
	b.exprs(s.in)
	table := b.tableOf(funcref)
	if table < 0 || !b.one(3) {
		b.index(opCall, i)
		return
	}
	b.small(b.n(10))
	b.emit(slices.Concat([]byte{opCallIndirect}, u32(b.typeOf(s)), u32(uint32(table)))...)
}

// tableOf chooses a table of a type, -1 when there is none.
func (b *body) tableOf(typ valType) int {
	return b.chooseIndex(len(b.tables), func(i int) bool { return b.tables[i] == typ })
}

// small adds a number, mostly below 32 to be in range.
func (b *body) small(n int) {
	switch b.n(8) {
	case 0, 1, 2, 3, 4:
		b.emit(constant(i32, uint64(n))...)
	case 7:
		b.expr(i32)
	default:
		b.expr(i32)
		b.emit(constant(i32, 15)...)
		b.emit(opI32And)
	}
}

// address adds one of memory, mostly in range.
func (b *body) address() {
	b.expr(i32)
	if !b.one(10) {
		b.emit(constant(i32, 0x3ff)...)
		b.emit(opI32And)
	}
}

func (b *body) load(typ valType) {
	i := b.chooseIndex(len(loads), func(i int) bool { return loads[i].typ == typ })
	if i < 0 || !b.memory {
		b.leaf(typ)
		return
	}
	b.address()
	if loads[i].lanes > 0 {
		b.expr(v128)
	}
	b.access(loads[i])
}

func (b *body) access(a access) {
	code := append(slices.Clone(a.code), 0) // no alignment
	code = append(code, u32(uint32(b.n(20)))...)
	if a.lanes > 0 {
		code = append(code, byte(b.n(a.lanes)))
	}
	b.emit(code...)
}

// ask adds code reading or growing a memory or table, or setting a local on the way.
func (b *body) ask(typ valType) {
	table := b.n(len(b.tables))
	switch {
	case typ == i32 && b.memory && b.one(3):
		b.emit(opMemorySize, 0)
	case typ == i32 && b.memory && b.one(4):
		b.small(b.n(3))
		b.emit(opMemoryGrow, 0)
	case typ == i32 && len(b.tables) > 0 && b.one(2):
		b.misc(miscTableSize, table)
	case typ == i32 && len(b.tables) > 0:
		b.expr(b.tables[table])
		b.small(b.n(3))
		b.misc(miscTableGrow, table)
	case b.tableOf(typ) >= 0:
		b.small(b.n(5))
		b.index(opTableGet, b.tableOf(typ))
	case b.local(typ) >= 0:
		b.expr(typ)
		b.index(opLocalTee, b.local(typ))
	default:
		b.leaf(typ)
	}
}

func (b *body) operation(typ valType) {
	list := ops[typ]
	if len(list) == 0 {
		b.leaf(typ)
		return
	}
	o := pick(&b.choices, list)
	if o.traps && !b.one(4) {
		o = list[0]
	}
	b.exprs(o.in)
	code := slices.Clone(o.code)
	if o.lanes > 0 {
		code = append(code, byte(b.n(o.lanes)))
	}
	b.emit(code...)
}
