package wasmgen

import (
	"encoding/binary"
	"slices"
)

// The opcodes named by the generator. They are not those of wasmbin: the generated modules test
// its tables.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opDrop         = 0x1a
	opSelect       = 0x1b
	opSelectT      = 0x1c
	opLocalGet     = 0x20
	opLocalSet     = 0x21
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Eqz       = 0x45
	opI32Sub       = 0x6b
	opI32And       = 0x71
	opI64Add       = 0x7c
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opMisc         = 0xfc
)

// The second bytes after opMisc.
const (
	miscMemoryInit = 8
	miscDataDrop   = 9
	miscMemoryCopy = 10
	miscMemoryFill = 11
	miscTableInit  = 12
	miscElemDrop   = 13
	miscTableCopy  = 14
	miscTableGrow  = 15
	miscTableSize  = 16
	miscTableFill  = 17
)

// constant is an instruction for a value of bits; a reference is null.
func constant(typ valType, bits uint64) []byte {
	switch typ {
	case i32:
		return append([]byte{0x41}, sleb(int64(int32(bits)))...)
	case i64:
		return append([]byte{0x42}, sleb(int64(bits))...)
	case f32:
		return binary.LittleEndian.AppendUint32([]byte{0x43}, uint32(bits))
	case f64:
		return binary.LittleEndian.AppendUint64([]byte{0x44}, bits)
	case v128:
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{0xfd, 12}, bits), bits>>3)
	}
	return []byte{opRefNull, typ}
}

// body is a function body on its way. Its code is always well typed: expr leaves
// one value, statement none.
type body struct {
	*gen
	code   []byte
	locals []valType   // parameters first
	labels [][]valType // the values of a branch to each, the innermost last
	depth  int         // of expressions
}

// body generates one, its size in front.
func (g *gen) body(s signature) []byte {
	b := &body{gen: g, locals: slices.Clone(s.in), labels: [][]valType{s.out}}
	own := g.someTypes(4)
	b.locals = append(b.locals, own...)
	var declared [][]byte
	for _, typ := range own {
		declared = append(declared, []byte{1, typ})
	}
	b.spend()
	b.statements(6)
	b.exprs(s.out)
	b.code = append(b.code, opEnd)
	return bytesOf(append(vector(declared), b.code...))
}

// spend counts the budget down, and ends the call when it is used up.
func (b *body) spend() {
	if b.opts.Endless {
		return
	}
	b.emit(opGlobalGet, budgetGlobal)
	b.emit(opI32Eqz)
	b.emit(opIf, 0x40)
	b.emit(opUnreachable)
	b.code = append(b.code, opEnd)
	b.emit(opGlobalGet, budgetGlobal)
	b.emit(constant(i32, 1)...)
	b.emit(opI32Sub)
	b.emit(opGlobalSet, budgetGlobal)
}

// emit adds an instruction counted as work.
func (b *body) emit(code ...byte) {
	if b.opts.Count && code[0] != opNop && code[0] != opDrop {
		count := u32(uint32(len(b.globals)))
		b.code = slices.Concat(b.code, []byte{opGlobalGet}, count, constant(i64, 1), []byte{opI64Add, opGlobalSet}, count)
	}
	b.code = append(b.code, code...)
}

// index adds an instruction with one index.
func (b *body) index(op byte, index int) { b.emit(append([]byte{op}, u32(uint32(index))...)...) }

// misc adds one of those with the prefix opMisc.
func (b *body) misc(op byte, indexes ...int) {
	code := []byte{opMisc, op}
	for _, i := range indexes {
		code = append(code, u32(uint32(i))...)
	}
	b.emit(code...)
}

// callable are the functions code may call, by index.
func (b *body) callable() []signature { return b.functions[:b.calls] }

func (b *body) statements(most int) {
	for range b.n(most + 1) {
		if b.room <= 0 {
			return
		}
		b.statement()
	}
}

// block adds a block, loop or if with its body, from parameters on the stack to
// results on the stack.
func (b *body) block(op byte, s signature) {
	head := []byte{op}
	switch {
	case len(s.in) == 0 && len(s.out) == 0 && !b.one(4):
		head = append(head, 0x40)
	case len(s.in) == 0 && len(s.out) == 1:
		head = append(head, s.out[0])
	default:
		head = append(head, sleb(int64(b.typeOf(s)))...)
	}
	if op == opIf {
		b.emit(head...)
	} else {
		b.code = append(b.code, head...)
	}
	b.inside(op, s)
	if op == opIf && (len(s.out) > 0 || !slices.Equal(s.in, s.out) || !b.one(3)) {
		b.code = append(b.code, opElse)
		b.inside(op, s)
	}
	b.code = append(b.code, opEnd)
}

func (b *body) inside(op byte, s signature) {
	label := s.out
	if op == opLoop {
		label = s.in
	}
	b.labels = append(b.labels, label)
	if op == opLoop {
		b.spend()
	}
	for _, typ := range slices.Backward(s.in) {
		b.consume(typ)
	}
	b.statements(4)
	b.exprs(s.out)
	b.labels = b.labels[:len(b.labels)-1]
}

// consume takes a value off the stack.
func (b *body) consume(typ valType) {
	if local := b.local(typ); local >= 0 && !b.one(3) {
		b.index(opLocalSet, local)
	} else {
		b.emit(opDrop)
	}
}

// local chooses a local of a type, -1 when there is none.
func (b *body) local(typ valType) int {
	return b.chooseIndex(len(b.locals), func(i int) bool { return b.locals[i] == typ })
}

// chooseIndex chooses one of the fitting numbers below n, -1 when there is none.
func (b *body) chooseIndex(n int, fits func(int) bool) int {
	var list []int
	for i := range n {
		if fits(i) {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return pick(&b.choices, list)
}

// branch chooses a label and adds its values.
func (b *body) branch() (depth int, types []valType) {
	depth = b.n(len(b.labels))
	types = b.labels[len(b.labels)-1-depth]
	b.exprs(types)
	return depth, types
}

// jump adds a branch, or another instruction without return.
func (b *body) jump() {
	switch b.n(6) {
	case 0, 1:
		depth, _ := b.branch()
		b.index(opBr, depth)
	case 2, 3:
		depth, types := b.branch()
		b.expr(i32)
		b.brTable(depth, types)
	case 4:
		b.exprs(b.labels[0])
		b.emit(opReturn)
	default:
		b.emit(opUnreachable)
	}
	b.dead()
}

func (b *body) brTable(depth int, types []valType) {
	var targets [][]byte
	for range b.n(10) {
		i := b.chooseIndex(len(b.labels), func(i int) bool { return slices.Equal(b.labels[i], types) })
		targets = append(targets, u32(uint32(len(b.labels)-1-i)))
	}
	b.emit(slices.Concat([]byte{opBrTable}, vector(targets), u32(uint32(depth)))...)
}

// dead adds instructions allowed only by the polymorphic stack after a jump.
func (b *body) dead() {
	switch b.n(6) {
	case 1:
		b.emit(0x6a) // i32.add
		b.emit(opDrop)
	case 2:
		b.emit(opDrop)
	case 3:
		b.emit(opSelect)
		b.emit(opDrop)
	case 4:
		b.index(opBrIf, b.n(len(b.labels)))
		b.emit(opUnreachable)
	}
}
