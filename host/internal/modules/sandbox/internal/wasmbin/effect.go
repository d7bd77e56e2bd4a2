package wasmbin

// effect is how many operands an instruction takes and how many results it
// leaves. Those of blocks, branches and calls are not here.
type effect struct{ pops, pushes uint8 }

var effects = func() (e [256]effect) {
	between := func(pops, pushes uint8, first, last byte) {
		for op := int(first); op <= int(last); op++ {
			e[op] = effect{pops, pushes}
		}
	}
	between(1, 0, opDrop, opDrop)
	between(3, 1, opSelect, opSelectT)
	between(1, 0, opBrIf, opBrIf)
	between(0, 1, opLocalGet, opLocalGet)
	between(1, 0, opLocalSet, opLocalSet)
	between(1, 1, opLocalTee, opLocalTee)
	between(0, 1, opGlobalGet, opGlobalGet)
	between(1, 0, opGlobalSet, opGlobalSet)
	between(1, 1, opTableGet, opTableGet)
	between(2, 0, opTableSet, opTableSet)
	between(1, 1, opFirstLoad, 0x35)
	between(2, 0, 0x36, opLastStore)
	between(0, 1, opMemorySize, opMemorySize)
	between(1, 1, opMemoryGrow, opMemoryGrow)
	between(0, 1, opI32Const, opF64Const)
	between(2, 1, opFirstNumeric, opLastNumeric)
	between(1, 1, 0x45, 0x45) // i32.eqz
	between(1, 1, 0x50, 0x50) // i64.eqz
	between(1, 1, 0x67, 0x69) // i32 bits
	between(1, 1, 0x79, 0x7b) // i64 bits
	between(1, 1, 0x8b, 0x91) // f32 unary
	between(1, 1, 0x99, 0x9f) // f64 unary
	between(1, 1, 0xa7, opLastNumeric)
	between(0, 1, opRefNull, opRefNull)
	between(1, 1, opRefIsNull, opRefIsNull)
	between(0, 1, opRefFunc, opRefFunc)
	return e
}()

// vectorUnary are the vector instructions with one operand and one result, as ranges;
// vectorStores, those without a result. All others take two, except v128.const with none and
// bitselect with three.
var vectorUnary = [][2]uint32{
	{0, 10}, {15, 22}, {24, 25}, {27, 27}, {29, 29}, {31, 31}, {33, 33}, {77, 77}, {83, 83},
	{92, 100}, {103, 106}, {116, 117}, {122, 122}, {124, 129}, {131, 132}, {135, 138}, {148, 148},
	{160, 161}, {163, 164}, {167, 170}, {192, 193}, {195, 196}, {199, 202}, {224, 225}, {227, 227},
	{236, 237}, {239, 239}, {248, 255},
}

var vectorEffects = func() (e [256]effect) {
	for op := range e {
		e[op] = effect{2, 1}
	}
	for _, r := range vectorUnary {
		for op := r[0]; op <= r[1]; op++ {
			e[op] = effect{1, 1}
		}
	}
	e[11] = effect{2, 0} // v128.store
	for op := 88; op <= 91; op++ {
		e[op] = effect{2, 0} // of a lane
	}
	e[12] = effect{0, 1}
	e[82] = effect{3, 1}
	return e
}()

var miscEffects = [18]effect{
	{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
	miscMemoryInit: {3, 0}, miscMemoryCopy: {3, 0}, miscMemoryFill: {3, 0}, miscTableInit: {3, 0}, miscTableCopy: {3, 0},
	miscTableGrow: {2, 1}, miscTableSize: {0, 1}, miscTableFill: {3, 0},
}

// track follows the operand stack and the locals past an instruction.
func (b *body) track(i *instr) {
	f := &b.frame
	switch i.op {
	case opCall:
		f.callOf(b.w.typeOf(i.index), 0)
		return
	case opCallIndirect:
		f.callOf(b.w.typeAt(i.index), 1)
		return
	case opLocalGet:
		f.read(i.index)
	case opLocalSet, opLocalTee:
		f.write(i.index, len(b.regions))
	}
	e := effects[i.op]
	switch i.op {
	case opMisc:
		e = miscEffects[i.misc]
	case opVector:
		e = vectorEffects[i.misc]
	}
	f.pop(int(e.pops))
	f.push(int(e.pushes))
}
