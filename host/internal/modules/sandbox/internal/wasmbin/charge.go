package wasmbin

// Structured code reaches an instruction at a region's own level only through those before it
// at that level, across any deeper nesting. So a region (a body, a loop's body, an arm of an
// if) is cut into segments at its own level, and each is paid for at its start, before any of
// it is done. A block is entered from above alone: it goes on in its surrounding segment. An
// arm of at most nestedCost is paid by the segment of its if, the dearer arm of the two.
//
// So the charge is never less than the work; and a segment left early, by a branch or a trap,
// has paid for at most segmentCost + nestedCost and one instruction too much.
const (
	// segmentCost is the length of a segment: long enough to make charging cheap, short enough
	// to keep wasted payments small. Measured on a Go guest: 128 charges 917,000 for a call, 32
	// 399,000 and 16 320,000; the call is quickest at 32, since a larger charge asks the host
	// more often.
	segmentCost = 32
	nestedCost  = 12
)

// Paying is cheap, checking for the rest is not: everything the call of refill might change
// must be stored and loaded again, even when it is not called. So only repeatable code checks:
// the head of each loop, and the entry of each calling function, unless it first comes to the
// head of a loop. Other segments only pay, until uncheckedCost is paid without a check on some
// way to them. A leaf function may cost leafCost without a check.
const (
	uncheckedCost = 512
	leafCost      = 128
)

// The engine moves values by themselves, from memory to memory when there are many: those of
// one branch, block or call, and those of locals where ways come together. Without a charge, a
// thousand locals set in an untaken arm made code a hundred times slower than its fuel, and
// slices as much longer.
const (
	// freeMoves is how many values an instruction takes along for nothing.
	freeMoves = 16
	// freeJoins is how many values may come together free of charge under one charge. More are
	// rarely all used: most in Go guests, whose functions are one loop around a table of
	// branches, take no time, so eight cost one.
	freeJoins   = 128
	joinsForOne = 8
)

// joined notes a local with a value of its own where ways come together.
func (b *body) joined(edit int) { b.edits[edit].joins++ }

// moves is an instruction's cost beyond its weight for the values it takes along.
func (b *body) moves(i *instr) int64 {
	n := 0
	switch i.op {
	case opBr, opBrIf, opBrTable: // the targets of a table all take the same
		if int(i.index) < len(b.regions) {
			r := &b.regions[len(b.regions)-1-int(i.index)]
			n = max(r.params, r.results)
		}
	case opBlock, opLoop, opIf:
		if i.block >= 0 {
			t := b.w.typeAt(uint32(i.block))
			n = len(t.params) + len(t.results)
		}
	case opCall:
		t := b.w.typeOf(i.index)
		n = len(t.params) + len(t.results)
	case opCallIndirect:
		t := b.w.typeAt(i.index)
		n = len(t.params) + len(t.results)
	}
	return int64(max(n-freeMoves, 0))
}

// turn is where ways part or come together: an instruction and the number of
// edits before it.
type turn struct {
	op    byte
	edits int
	label uint32 // of a branch; of opBrTable the outermost
}

// turnAt notes an instruction, if it is a turn. RATIONALE.md, "Why does most code pay for fuel
// without asking whether any is left?".
func (b *body) turnAt(i *instr) {
	switch i.op {
	case opBlock, opLoop, opIf, opElse, opEnd, opBr, opBrIf, opBrTable, opReturn, opUnreachable:
		b.turns = append(b.turns, turn{i.op, len(b.edits), i.index})
	}
}

// ways follows the unchecked payments on the dearest way to each place.
type ways struct {
	unchecked int64
	open      []way
}

// way is an open block: the unchecked sum at its beginning, and at its exits.
type way struct {
	op           byte
	before, left int64
}

// ask chooses the checking charges of a body.
func (b *body) ask() {
	w := ways{open: append(b.ways[:0], way{op: opBlock})}
	if !b.calls {
		w.unchecked = uncheckedCost - leafCost
	}
	entry, next := &b.edits[0], 0
	entry.asks = b.calls && !b.looped()
	for k := range b.edits {
		for ; next < len(b.turns) && b.turns[next].edits <= k; next++ {
			w.turn(&b.turns[next])
		}
		switch e := &b.edits[k]; e.kind {
		case editEnter, editCharge:
			e.cost += max(e.joins-freeJoins, 0) / joinsForOne
			if e.kind == editCharge && e.asks && e.cost > 0 {
				e.cost += weightRound
			}
			w.unchecked += e.cost
			e.asks = e.cost > 0 && (e.asks || w.unchecked > uncheckedCost)
			if e.asks {
				w.unchecked = 0
			}
		}
	}
	b.ways = w.open
}

// looped reports whether each call comes to the head of a loop with a check. A loop without
// payments has none: either a loop inside it has something to pay, or nothing goes round it.
func (b *body) looped() bool {
	for k := range b.edits {
		if e := &b.edits[k]; e.sure && e.cost > 0 {
			return true
		}
	}
	return false
}

// turn goes on past a turn. At an unreachable one nothing is unchecked.
func (w *ways) turn(t *turn) {
	last := len(w.open) - 1
	top := &w.open[last]
	switch t.op {
	case opBlock, opLoop, opIf:
		w.open = append(w.open, way{op: t.op, before: w.unchecked})
	case opElse:
		top.op, top.left = opElse, max(top.left, w.unchecked)
		w.unchecked = top.before
	case opEnd:
		w.unchecked = max(w.unchecked, top.left)
		if top.op == opIf {
			w.unchecked = max(w.unchecked, top.before)
		}
		w.open = w.open[:max(last, 1)] // the last one is the body's
	case opBr, opBrIf:
		w.leave(last-int(t.label), last-int(t.label))
	case opBrTable:
		w.leave(last-int(t.label), last)
	}
	switch t.op {
	case opBr, opBrTable, opReturn, opUnreachable:
		w.unchecked = 0
	}
}

// leave notes a branch to the end of each of some blocks. To the head of a loop it does not
// matter: that checks.
func (w *ways) leave(first, last int) {
	for k := first; k <= last; k++ {
		w.open[k].left = max(w.open[k].left, w.unchecked)
	}
}

const blockEmpty = 0x40

// charge takes cost from the fuel, and calls the import when the rest is less than nothing. It
// needs nothing on the stack and leaves nothing.
func (w *rewriter) charge(dst []byte, cost int64) []byte {
	return w.refill(w.spend(dst, cost))
}

// spend takes cost from the fuel.
func (w *rewriter) spend(dst []byte, cost int64) []byte {
	dst = appendI64(append(w.beginCharge(dst), opI64Const), cost)
	return appendU32(append(dst, opI64Sub, opGlobalSet), w.fuel)
}

// beginCharge and endCharge surround code with the cost on the stack.
func (w *rewriter) beginCharge(dst []byte) []byte {
	return appendU32(append(dst, opGlobalGet), w.fuel)
}

func (w *rewriter) endCharge(dst []byte) []byte {
	return w.refill(appendU32(append(dst, opI64Sub, opGlobalSet), w.fuel))
}

// refill calls the import when the rest is less than nothing.
func (w *rewriter) refill(dst []byte) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
	dst = append(dst, opI64Const, 0, opI64LtS, opIf, blockEmpty)
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
	dst = appendU32(append(dst, opCall), w.imported)
	dst = appendU32(append(dst, opGlobalSet), w.fuel)
	return append(dst, opEnd)
}

// takeStack takes bytes from the stack left, and calls the import when the rest is less than
// nothing.
func (w *rewriter) takeStack(dst []byte, bytes int64) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.stack)
	dst = appendI64(append(dst, opI32Const), bytes)
	dst = appendU32(append(dst, opI32Sub, opGlobalSet), w.stack)
	dst = appendU32(append(dst, opGlobalGet), w.stack)
	dst = append(dst, opI32Const, 0, opI32LtS, opIf, blockEmpty)
	dst = appendU32(append(dst, opCall), w.imported+1)
	return append(dst, opEnd)
}

func (w *rewriter) giveStack(dst []byte, bytes int64) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.stack)
	dst = appendI64(append(dst, opI32Const), bytes)
	return appendU32(append(dst, opI32Add, opGlobalSet), w.stack)
}

// region is an open block, loop, arm of an if, or body.
type region struct {
	op      byte
	dead    bool  // the following code is unreachable
	deadAll bool  // nor is anything inside
	segment int   // the edit paying for the following code
	own     int   // the edit at the start of an arm
	other   int64 // the cost of an arm before else at its place
	results int
	height  int // of the operand stack below
	params  int
}

// pay adds the weight of an instruction to the segment it stands in, or begins
// another.
func (b *body) pay(i *instr, cost int64) {
	top := &b.regions[len(b.regions)-1]
	if cost == 0 {
		return
	}
	most := b.w.opts.segment
	if e := &b.edits[top.segment]; e.cost >= most || e.cost > 0 && cost >= most { // a dear one is paid when it is reached
		top.segment = b.chargeAt(i.start)
	}
	b.edits[top.segment].cost += cost
}

// chargeAt adds a charging edit, with nothing as yet.
func (b *body) chargeAt(pos int) int {
	b.edits = append(b.edits, edit{kind: editCharge, at: pos, end: pos})
	b.frame.call(0)
	return len(b.edits) - 1
}

// absorb returns the enclosing segment's payment for an ending arm: nothing when it has paid
// itself.
func (b *body) absorb(arm *region) int64 {
	e := &b.edits[arm.own]
	if arm.segment != arm.own || e.cost > b.w.opts.nested {
		return 0
	}
	cost := e.cost
	e.cost = 0
	return cost
}
