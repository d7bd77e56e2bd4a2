package wasmbin

import (
	"errors"
	"fmt"
)

// body rewrites functions, one after the other. A first pass over a function
// lists the changes in their order, a second one applies them.
type body struct {
	w *rewriter
	reader
	typ     functionType
	locals  int
	wide    bool // has vectors
	calls   bool
	strayed bool // has a branch, an arm or a call up to here
	edits   []edit
	turns   []turn
	ways    []way
	regions []region
	frame   frame
	out     []byte
}

// edit is one change to a function body: the bytes from at to end are replaced.
type edit struct {
	kind    editKind
	op      byte // of editInstr
	at, end int
	index   uint32 // of editInstr
	cost    int64  // of editEnter and editCharge: fuel
	asks    bool   // whether there is any left
	joins   int64  // values coming together in the code paid for
	sure    bool   // the head of a loop reached by each call of the function
}

type editKind uint8

const (
	editEnter  editKind = iota // pay for the first segment and for the frame
	editCharge                 // pay for a segment
	editInstr                  // an instruction with one index
	editReturn                 // a return; index is the label of the body
	editLeave                  // give the frame back
	editMark                   // note a change of shadowed state
	editDrop                   // drop a segment by its flag, in index
)

// code rewrites all function bodies.
func (w *rewriter) code() error {
	r, n := w.reader(secCode)
	if defined := len(w.functions) - int(w.imported); int(n) != defined {
		r.failAt(0, fmt.Errorf("%d bodies for %d functions", n, defined))
		return r.err
	}
	content := appendU32(make([]byte, 0, len(r.data)+len(r.data)/2), n)
	b := &body{w: w}
	all := 0
	for i := range n {
		b.reader = r.sub(r.u32())
		err := b.rewrite(w.types[w.functions[w.imported+i]])
		all += b.locals
		if err == nil {
			err = b.failed(atMost("locals of all functions", all, maxAllLocals))
		}
		if err == nil {
			content = append(appendU32(content, uint32(len(b.out))), b.out...)
			err = b.failed(atMost("module_kib with its fuel", len(content), w.opts.Bytes))
		}
		if err != nil {
			return in(fmt.Sprintf("code section, function %d", w.imported+i), err)
		}
	}
	w.set(secCode, content)
	return r.end()
}

// failed makes err, if any, the reader's.
func (b *body) failed(err error) error {
	if err != nil {
		b.fail(err)
	}
	return b.err
}

// rewrite leaves the new body in b.out.
func (b *body) rewrite(typ functionType) error {
	b.typ, b.wide, b.calls, b.strayed = typ, false, false, false
	if b.readLocals(); b.err != nil {
		return b.err
	}
	if b.scan(); b.err != nil {
		return b.err
	}
	b.ask()
	b.apply()
	return nil
}

func (b *body) readLocals() {
	all := uint64(len(b.typ.params))
	for _, t := range b.typ.params {
		b.wide = b.wide || t == typeV128
	}
	for range b.vector(2) {
		start := b.pos
		all += uint64(b.u32())
		b.wide = b.valueType() == typeV128 || b.wide
		if err := atMost("locals", all, maxLocals); err != nil {
			b.failAt(start, err)
			return
		}
	}
	b.locals = int(all)
}

// scan reads the instructions of a body and lists the changes in their order. It also checks
// that the blocks of the body close exactly at its end.
func (b *body) scan() {
	b.edits = append(b.edits[:0], edit{kind: editEnter, at: b.pos, end: b.pos})
	b.regions = append(b.regions[:0], region{op: opBlock, results: len(b.typ.results)})
	b.turns = b.turns[:0]
	b.frame.begin(b.locals, b.joined)
	var i instr
	for !b.done() {
		if len(b.regions) == 0 {
			b.fail(errors.New("instructions after the last end"))
			return
		}
		if b.next(&i); b.err != nil {
			return
		}
		b.step(&i)
	}
	if b.err == nil && len(b.regions) > 0 {
		b.fail(errors.New("a block is not closed"))
	}
}

// step looks at one instruction.
func (b *body) step(i *instr) {
	top := &b.regions[len(b.regions)-1]
	if !top.dead {
		b.pay(i, i.weigh(b.w.imported)+b.moves(i))
	}
	b.frame.clock++
	b.turnAt(i)
	switch i.op {
	case opBlock, opLoop, opIf:
		b.open(i)
		return
	case opElse:
		b.otherwise(i)
		return
	case opEnd:
		b.close(i)
		return
	case opUnreachable, opBr, opBrTable, opReturn:
		b.strayed = true
		b.label(i)
		if i.op == opReturn {
			b.edits = append(b.edits, edit{kind: editReturn, at: i.start, end: b.pos, index: uint32(len(b.regions) - 1)})
		}
		b.regions[len(b.regions)-1].dead = true
		return
	case opGlobalGet, opGlobalSet:
		b.w.global(&b.reader, i.start, i.index)
		b.lasting(i)
	case opRefFunc:
		b.instr(i, opRefFunc, b.w.moved(&b.reader, i.start, i.index))
	case opCall:
		b.instr(i, opCall, b.w.moved(&b.reader, i.start, i.index))
		b.calls, b.strayed = true, true
	case opCallIndirect:
		b.calls, b.strayed = true, true
		b.w.checkType(&b.reader, i.start, i.index)
		b.lasting(i)
	case opBrIf:
		b.strayed = true
		b.label(i)
	case opTableGet:
		b.lasting(i)
	case opTableSet, opMemoryGrow, opMisc:
		if b.lasting(i); b.err == nil {
			b.bulk(i)
		}
	case opVector:
		b.wide = true
	}
	if !top.dead {
		b.track(i)
	}
}

// label checks that a branch stays inside the body: beyond is the block Rewrite puts around it.
func (b *body) label(i *instr) {
	if branch := i.op == opBr || i.op == opBrIf || i.op == opBrTable; branch && int(i.index) >= len(b.regions) {
		b.failAt(i.start, fmt.Errorf("there is no label %d", i.index))
	}
}

// bulk handles instructions with a cost by their operands, or lasting effects.
func (b *body) bulk(i *instr) {
	b.frame.call(0)
	if index, ok := b.w.preceded(i); ok {
		b.edits = append(b.edits, edit{kind: editInstr, at: i.start, end: i.start, op: opCall, index: index})
	}
	if index, ok := b.w.replaced(i); ok {
		b.instr(i, opCall, index)
	}
}

// instr replaces an instruction by one with one index.
func (b *body) instr(i *instr, op byte, index uint32) {
	b.edits = append(b.edits, edit{kind: editInstr, at: i.start, end: b.pos, op: op, index: index})
}

// open begins a block, a loop or an if.
func (b *body) open(i *instr) {
	outer := &b.regions[len(b.regions)-1]
	in := region{op: i.op, dead: outer.dead, deadAll: outer.dead, segment: outer.segment}
	if i.op == opIf {
		b.frame.pop(1)
	}
	switch typ := i.block; {
	case typ >= 0:
		b.w.checkType(&b.reader, i.start, uint32(typ))
		t := b.w.typeAt(uint32(typ))
		in.params, in.results = len(t.params), len(t.results)
	case typ != -64:
		in.results = 1
	}
	in.height = b.frame.height - in.params
	if i.op != opBlock && !in.dead {
		in.segment = b.chargeAt(b.pos)
		in.own = in.segment
	}
	if i.op == opIf {
		b.strayed = true
	}
	if i.op == opLoop {
		if !in.dead {
			e := &b.edits[in.segment]
			e.asks, e.sure = true, !b.strayed
		}
		b.frame.loops = append(b.frame.loops, loop{b.frame.clock, len(b.regions), in.segment})
	}
	b.regions = append(b.regions, in)
}

// otherwise begins the second arm of an if.
func (b *body) otherwise(i *instr) {
	top := &b.regions[len(b.regions)-1]
	if top.op != opIf {
		b.failAt(i.start, errors.New("else without if"))
		return
	}
	top.op = opElse
	b.frame.merge(len(b.regions)-1, top.height+top.params, top.segment)
	if top.deadAll {
		return
	}
	top.other = b.absorb(top)
	top.dead = false
	top.segment = b.chargeAt(b.pos)
	top.own = top.segment
}

// close ends a region.
func (b *body) close(i *instr) {
	top := b.regions[len(b.regions)-1]
	b.regions = b.regions[:len(b.regions)-1]
	if len(b.regions) == 0 {
		b.edits = append(b.edits, edit{kind: editLeave, at: i.start, end: b.pos})
		return
	}
	b.frame.merge(len(b.regions), top.height+top.results, b.regions[len(b.regions)-1].segment)
	if top.op == opLoop {
		b.frame.loops = b.frame.loops[:len(b.frame.loops)-1]
	}
	if top.deadAll || top.op != opIf && top.op != opElse {
		return
	}
	outer := &b.regions[len(b.regions)-1]
	b.edits[outer.segment].cost += max(top.other, b.absorb(&top))
}

// apply writes the body with its changes.
func (b *body) apply() {
	out, done := b.out[:0], 0
	stack := int64(0)
	if b.w.opts.StackBytes > 0 && !b.w.opts.Unmetered {
		if size := b.frame.bytes(b); b.calls || size > leafFrame {
			stack = size
		}
	}
	for k := range b.edits {
		e := &b.edits[k]
		if e.kind == editCharge && (e.cost == 0 || b.w.opts.Unmetered) {
			continue
		}
		out = append(out, b.data[done:e.at]...)
		done = e.end
		switch e.kind {
		case editEnter:
			if !b.w.opts.Unmetered {
				out = b.pays(out, e)
			}
			if stack > 0 {
				out = b.wrap(b.w.takeStack(out, stack))
			}
		case editCharge:
			out = b.pays(out, e)
		case editInstr:
			out = appendU32(append(out, e.op), e.index)
		case editMark:
			out = b.w.appendMark(out)
		case editDrop:
			out = appendDrop(out, e.index)
		case editReturn:
			if stack > 0 {
				out = appendU32(append(out, opBr), e.index)
			} else {
				out = append(out, opReturn)
			}
		case editLeave:
			if stack > 0 {
				out = b.w.giveStack(append(out, opEnd), stack)
			}
			out = append(out, opEnd)
		}
	}
	b.out = append(out, b.data[done:]...)
}

// pays writes a charge.
func (b *body) pays(dst []byte, e *edit) []byte {
	if e.cost > 0 {
		dst = b.w.spend(dst, e.cost)
	}
	if e.asks {
		dst = b.w.refill(dst)
	}
	return dst
}

// wrap begins a block with the results of the function around its body, so a branch to the
// function's end, with its number unchanged, passes the return of the frame.
func (b *body) wrap(dst []byte) []byte {
	dst = append(dst, opBlock)
	switch len(b.typ.results) {
	case 0:
		return append(dst, blockEmpty)
	case 1:
		return append(dst, b.typ.results[0])
	default:
		return appendI64(dst, int64(b.w.typeIndex("", b.typ.results)))
	}
}
