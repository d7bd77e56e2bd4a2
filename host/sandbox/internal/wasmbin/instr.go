package wasmbin

import "fmt"

// The opcodes that matter here.
const (
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
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opTableGet     = 0x25
	opTableSet     = 0x26
	opFirstLoad    = 0x28
	opLastStore    = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opFirstNumeric = 0x45
	opI64LtS       = 0x53
	opI64Sub       = 0x7d
	opI64ExtendU   = 0xad
	opI32ShrU      = 0x76
	opLastNumeric  = 0xc4
	opRefNull      = 0xd0
	opRefIsNull    = 0xd1
	opRefFunc      = 0xd2
	opMisc         = 0xfc
	opVector       = 0xfd
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

// instr is one instruction: its bytes, and what of it a rewriter looks at.
type instr struct {
	raw   []byte
	op    byte
	misc  uint32 // the second number after opMisc
	index uint32 // of a function or global
}

// next reads one instruction, immediates included.
func (r *reader) next() instr {
	start := r.pos
	i := instr{op: r.byte()}
	switch op := i.op; {
	case op == opCall, op == opRefFunc, op == opGlobalGet, op == opGlobalSet:
		i.index = r.u32()
	case op == opMisc:
		i.misc = r.miscImmediates()
	case op == opVector:
		r.vectorImmediates()
	default:
		r.immediates(op)
	}
	if r.err == nil {
		i.raw = r.data[start:r.pos]
	}
	return i
}

// form is what follows an opcode of one byte.
type form uint8

const (
	formUnknown form = iota
	formNone
	formIndex     // one u32
	formTwo       // two u32: call_indirect, and loads and stores
	formBlockType // s33, as for ref.null
	formTargets   // br_table
	formTypes     // select with types
	formI32
	formI64
	form4
	form8
)

var forms = func() (f [256]form) {
	set := func(to form, ops ...byte) {
		for _, op := range ops {
			f[op] = to
		}
	}
	between := func(to form, first, last byte) {
		for op := first; op <= last; op++ {
			f[op] = to
		}
	}
	set(formNone, 0x00, 0x01, opElse, opEnd, opReturn, opDrop, opSelect, opRefIsNull)
	between(formNone, opFirstNumeric, opLastNumeric)
	set(formBlockType, opBlock, opLoop, opIf, opRefNull)
	set(formIndex, opBr, opBrIf, opMemorySize, opMemoryGrow)
	between(formIndex, opLocalGet, opTableSet)
	set(formTwo, opCallIndirect)
	between(formTwo, opFirstLoad, opLastStore)
	set(formTargets, opBrTable)
	set(formTypes, opSelectT)
	set(formI32, opI32Const)
	set(formI64, opI64Const)
	set(form4, opF32Const)
	set(form8, opF64Const)
	return f
}()

// immediates passes over those of a one-byte opcode.
func (r *reader) immediates(op byte) {
	switch forms[op] {
	case formNone:
	case formIndex:
		r.u32()
	case formTwo:
		r.memarg()
	case formBlockType:
		r.skipLEB(33)
	case formTargets:
		for range r.count() {
			r.u32()
		}
		r.u32()
	case formTypes:
		r.take(r.count())
	case formI32:
		r.skipLEB(32)
	case formI64:
		r.skipLEB(64)
	case form4:
		r.take(4)
	case form8:
		r.take(8)
	default:
		r.fail(fmt.Errorf("instruction 0x%02x is not supported", op))
	}
}

func (r *reader) memarg() {
	r.u32()
	r.u32()
}

func (r *reader) miscImmediates() uint32 {
	op := r.u32()
	switch {
	case op <= 7: // saturating conversions
	case op == miscMemoryInit, op == miscMemoryCopy, op == miscTableInit, op == miscTableCopy:
		r.u32()
		r.u32()
	case op <= miscTableFill:
		r.u32()
	default:
		r.fail(fmt.Errorf("instruction 0xfc %d is not supported", op))
	}
	return op
}

func (r *reader) vectorImmediates() {
	op := r.u32()
	switch {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.memarg()
	case op == 12, op == 13: // const, shuffle
		r.take(16)
	case op >= 21 && op <= 34: // lanes
		r.take(1)
	case op >= 84 && op <= 91: // loads and stores of a lane
		r.memarg()
		r.take(1)
	case op <= 255:
	default:
		r.fail(fmt.Errorf("instruction 0xfd %d is not supported", op))
	}
}

// lasting reports whether an instruction can change what only a new instance
// has again: a table, or a dropped segment.
func (i instr) lasting() bool {
	switch {
	case i.op == opTableSet:
		return true
	case i.op != opMisc:
		return false
	}
	switch i.misc {
	case miscDataDrop, miscElemDrop, miscTableInit, miscTableCopy, miscTableGrow, miscTableFill:
		return true
	}
	return false
}

// bulk reports whether the instruction takes time by the number on top of the
// stack.
func (i instr) bulk() bool {
	if i.op != opMisc {
		return false
	}
	switch i.misc {
	case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableFill:
		return true
	}
	return false
}

// grows reports whether the instruction makes a memory or table larger.
func (i instr) grows() bool {
	return i.op == opMemoryGrow || i.op == opMisc && i.misc == miscTableGrow
}
