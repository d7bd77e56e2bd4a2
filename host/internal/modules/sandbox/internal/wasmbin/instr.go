package wasmbin

import (
	"errors"
	"fmt"
)

// The relevant opcodes.
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
	opFirstLoad    = 0x28
	opLastStore    = 0x3e
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opFirstNumeric = 0x45
	opI32Eqz       = 0x45
	opI32Ne        = 0x47
	opI32LtS       = 0x48
	opI32LtU       = 0x49
	opI32GtU       = 0x4b
	opI32LeU       = 0x4d
	opI64LtS       = 0x53
	opI32Add       = 0x6a
	opI32Sub       = 0x6b
	opI32Or        = 0x72
	opI32ShrU      = 0x76
	opI64Sub       = 0x7d
	opI64Mul       = 0x7e
	opI64ExtendU   = 0xad
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

// instr is one instruction, with its parts relevant to a rewriter.
type instr struct {
	start  int // in the body; it ends where the reader stands
	op     byte
	misc   uint32 // the second number after opMisc or opVector
	index  uint32 // of a function, type, local, global, table, segment or label; of opBrTable the largest
	second uint32 // the second index of opMisc; the number of targets of opBrTable
	block  int64  // the type of a block, as it is written
}

// next reads one instruction, immediates included.
func (r *reader) next(i *instr) {
	i.start = r.pos
	i.op = r.byte()
	switch forms[i.op] {
	case formNone:
	case formIndex:
		i.index = r.u32()
	case formCallIndirect:
		i.index = r.u32()
		i.second = r.u32()
	case formZero:
		r.zero()
	case formMemory:
		r.u32()
		r.u32()
	case formBlockType:
		i.block = r.s33()
		if i.block < 0 && i.block != -64 && !isValueType(byte(i.block&0x7f)) {
			r.failAt(i.start, fmt.Errorf("type 0x%02x is not supported", i.block&0x7f))
		}
	case formTargets:
		i.second = r.count()
		i.index = 0
		for range i.second {
			i.index = max(i.index, r.u32())
		}
		i.index = max(i.index, r.u32())
	case formTypes:
		r.valueTypes()
	case formI32:
		r.skipLEB(32)
	case formI64:
		r.skipLEB(64)
	case form4:
		r.take(4)
	case form8:
		r.take(8)
	case formMisc:
		r.miscImmediates(i)
	case formVector:
		r.vectorImmediates(i)
	default:
		r.failAt(i.start, fmt.Errorf("instruction 0x%02x is not supported", i.op))
	}
}

// form is the form of the bytes behind an opcode of one byte.
type form uint8

const (
	formUnknown form = iota
	formNone
	formIndex        // one u32
	formCallIndirect // a type and a table
	formZero         // the only memory
	formMemory       // of loads and stores: two u32
	formBlockType    // s33, as for ref.null
	formTargets      // br_table
	formTypes        // select with types
	formI32
	formI64
	form4
	form8
	formMisc
	formVector
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
	set(formNone, opUnreachable, opNop, opElse, opEnd, opReturn, opDrop, opSelect, opRefIsNull)
	between(formNone, opFirstNumeric, opLastNumeric)
	set(formBlockType, opBlock, opLoop, opIf, opRefNull)
	set(formIndex, opBr, opBrIf, opCall, opRefFunc)
	set(formZero, opMemorySize, opMemoryGrow)
	between(formIndex, opLocalGet, opTableSet)
	set(formCallIndirect, opCallIndirect)
	between(formMemory, opFirstLoad, opLastStore)
	set(formTargets, opBrTable)
	set(formTypes, opSelectT)
	set(formI32, opI32Const)
	set(formI64, opI64Const)
	set(form4, opF32Const)
	set(form8, opF64Const)
	set(formMisc, opMisc)
	set(formVector, opVector)
	return f
}()

// zero reads the byte for the only memory.
func (r *reader) zero() {
	if start := r.pos; r.byte() != 0 && r.err == nil {
		r.failAt(start, errors.New("a memory's index is zero"))
	}
}

func (r *reader) miscImmediates(i *instr) {
	i.misc = r.u32()
	switch {
	case i.misc <= 7: // saturating conversions
	case i.misc == miscMemoryInit:
		i.index = r.u32()
		r.zero()
	case i.misc == miscMemoryCopy:
		r.zero()
		r.zero()
	case i.misc == miscMemoryFill:
		r.zero()
	case i.misc == miscTableInit, i.misc == miscTableCopy:
		i.index = r.u32()
		i.second = r.u32()
	case i.misc <= miscTableFill:
		i.index = r.u32()
	default:
		r.failAt(i.start, fmt.Errorf("instruction 0xfc %d is not supported", i.misc))
	}
}

func (r *reader) vectorImmediates(i *instr) {
	i.misc = r.u32()
	switch op := i.misc; {
	case op <= 11, op == 92, op == 93: // loads and stores
		r.u32()
		r.u32()
	case op == 12, op == 13: // const, shuffle
		r.take(16)
	case op >= 21 && op <= 34: // lanes
		r.take(1)
	case op >= 84 && op <= 91: // loads and stores of a lane
		r.u32()
		r.u32()
		r.take(1)
	case op <= 255:
	default:
		r.failAt(i.start, fmt.Errorf("instruction 0xfd %d is not supported", op))
	}
}
