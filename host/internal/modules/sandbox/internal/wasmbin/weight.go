package wasmbin

// Weights are in units of fuel: about one simple instruction. A compiled guest uses 5 to 7 in a
// nanosecond, as charged by segments, C up to 13; the slowest code 1.5 to 2. They depend on the
// instruction alone, never on operands or the machine; helpers charge for costs by operands as
// well.
const (
	// weightCall: saving registers, the stack check, the jump and back.
	weightCall = 4
	// weightRound is for each round of a paying loop: paying and checking take longer than the
	// body of a short loop does.
	weightRound = 3
	// weightIndirect: also bounds, null and type checks, and a jump that is hard
	// to foresee.
	weightIndirect = 8
	// weightHost: an import of the kernel's takes 3.4 ns; for one leaving WebAssembly the host
	// charges the work.
	weightHost = 10
	// weightBulk: the call of a helper and of the engine's own routine.
	weightBulk = 16
	// weightGrow: growing leaves WebAssembly and may move the memory or table; the addition is
	// charged by size.
	weightGrow = 1000
)

// weights is by opcode; see also weigh.
var weights = func() (w [256]int64) {
	for op := range w {
		w[op] = 1
	}
	set := func(cost int64, ops ...byte) {
		for _, op := range ops {
			w[op] = cost
		}
	}
	set(0, opNop, opBlock, opLoop, opElse, opEnd) // no code of their own
	set(0, opDrop)
	set(4, opBrTable) // a jump through a table, hard to foresee
	set(weightCall, opCall)
	set(weightIndirect, opCallIndirect)
	set(64, opRefFunc) // the engine leaves WebAssembly for it: some 40 ns
	set(weightGrow, opMemoryGrow)
	set(2, opTableGet, opTableSet)
	set(10, 0x6d, 0x6e, 0x6f, 0x70) // i32.div, i32.rem: 6 to 26 cycles
	set(20, 0x7f, 0x80, 0x81, 0x82) // i64.div, i64.rem: 10 to 40 cycles
	set(6, 0x91, 0x9f)              // f32.sqrt, f64.sqrt
	set(5, 0x95, 0xa3)              // f32.div, f64.div
	set(4, 0x8d, 0x8e, 0x8f, 0x90)  // f32 rounding, a call on old processors
	set(4, 0x9b, 0x9c, 0x9d, 0x9e)  // f64 rounding
	set(3, 0x96, 0x97, 0xa4, 0xa5)  // min and max have branches for NaN and zeros
	set(4, 0xa8, 0xa9, 0xaa, 0xab)  // i32.trunc: range checks
	set(4, 0xae, 0xaf, 0xb0, 0xb1)  // i64.trunc
	set(3, 0xb4, 0xb5, 0xb9, 0xba)  // conversions from i64
	set(4, opMisc)                  // saturating conversions; others see weigh
	set(2, opVector)                // vector instructions are a few machine instructions each
	return w
}()

// weightsOfVectors are those of the dear ones among them.
var weightsOfVectors = map[uint32]int64{
	0xd5: 6,            // i64x2.mul is made of several
	0xe3: 10, 0xef: 10, // sqrt
	0xe7: 10, 0xf3: 10, // div
	0x62: 8,                   // popcnt
	0x6b: 6, 0x6c: 6, 0x6d: 6, // i8x16 shifts
	0xf8: 6, 0xf9: 6, 0xfa: 6, 0xfb: 6, // conversions
}

// weigh returns the weight of an instruction. imported is the number of
// imported functions.
func (i *instr) weigh(imported uint32) int64 {
	switch i.op {
	case opCall:
		if i.index < imported {
			return weightHost
		}
	case opMisc:
		switch i.misc {
		case miscMemoryInit, miscMemoryCopy, miscMemoryFill, miscTableInit, miscTableCopy, miscTableFill:
			return weightBulk
		case miscTableGrow:
			return weightGrow
		}
	case opVector:
		if dear, ok := weightsOfVectors[i.misc]; ok {
			return dear
		}
	}
	return weights[i.op]
}
