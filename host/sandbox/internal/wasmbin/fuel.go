package wasmbin

import (
	"errors"
	"fmt"
)

// How fuel is charged. A unit is roughly one turn of a small loop.
const (
	// perUnit instructions of a straight body cost one more unit.
	perUnit = 64
	// growCost is the price of growing a memory or table, which may copy all of it.
	growCost = 10000
	// bulkShift: bulk instructions cost a unit for each 16 bytes or entries.
	bulkShift = 4
)

// code rewrites all function bodies and adds the one of bulk.
func (w *rewriter) code() error {
	r, n := w.reader(secCode)
	content := appendU32(nil, n+1)
	for i := range n {
		body := r.take(r.u32())
		if r.err != nil {
			return r.err
		}
		out, err := w.body(body)
		if err != nil {
			return fmt.Errorf("function %d: %w", w.imported+i, err)
		}
		content = append(appendU32(content, uint32(len(out))), out...)
		if len(content) > w.opts.Bytes {
			return fmt.Errorf("%d bytes and more with its fuel: at most %d", len(content), w.opts.Bytes)
		}
	}
	bulk := w.bulkBody()
	w.sections[secCode] = append(appendU32(content, uint32(len(bulk))), bulk...)
	return r.end()
}

// body rewrites one function: it charges at the entry, at the head of each
// loop, and before what takes time by its operands.
func (w *rewriter) body(body []byte) ([]byte, error) {
	r := &reader{data: body}
	if err := skipLocals(r); err != nil {
		return nil, err
	}
	costs, err := loopCosts(*r)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(body)+24*len(costs))
	out = append(out, body[:r.pos]...)
	out = w.charge(out, costs[0])
	loops := costs[1:]
	for !r.done() {
		i := r.next()
		w.result.Restorable = w.result.Restorable && !i.lasting()
		switch {
		case i.bulk():
			out = appendU32(append(out, opCall), w.bulk)
		case i.grows():
			out = w.charge(out, growCost)
		}
		out = w.move(r, i, out)
		if i.op == opLoop {
			out = w.charge(out, loops[0])
			loops = loops[1:]
		}
	}
	return out, r.err
}

func skipLocals(r *reader) error {
	total := uint64(0)
	for range r.count() {
		total += uint64(r.u32())
		r.byte()
	}
	if r.err == nil && total > maxLocals {
		return fmt.Errorf("%d locals: at most %d", total, maxLocals)
	}
	return r.err
}

// loopCosts returns what the function's entry costs and then each of its loops,
// in the order of their heads: by the number of instructions inside, so that
// straight code of any length pays. It also makes sure that the blocks of the
// body close just where it ends.
func loopCosts(r reader) ([]int64, error) {
	type block struct {
		loop  int // index in costs, or -1
		start int64
	}
	costs := []int64{0}
	open := []block{{0, 0}}
	for n := int64(1); !r.done(); n++ {
		switch i := r.next(); i.op {
		case opBlock, opIf:
			open = append(open, block{-1, n})
		case opLoop:
			open = append(open, block{len(costs), n})
			costs = append(costs, 0)
		case opEnd:
			if len(open) == 0 {
				return nil, errors.New("more ends than blocks")
			}
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.loop >= 0 {
				costs[last.loop] = 1 + (n-last.start)/perUnit
			}
			if len(open) == 0 && !r.done() {
				return nil, errors.New("instructions after the last end")
			}
		}
	}
	if r.err == nil && len(open) > 0 {
		return nil, errors.New("a block is not closed")
	}
	return costs, r.err
}

// charge takes cost from the fuel, and calls the import when that leaves less
// than nothing. It needs nothing on the stack and leaves nothing.
func (w *rewriter) charge(dst []byte, cost int64) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
	dst = append(appendI64(append(dst, opI64Const), cost), opI64Sub)
	dst = appendU32(append(dst, opGlobalSet), w.fuel)
	return w.refill(dst)
}

const blockEmpty = 0x40

func (w *rewriter) refill(dst []byte) []byte {
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
	dst = append(dst, opI64Const, 0, opI64LtS, opIf, blockEmpty)
	dst = appendU32(append(dst, opCall), w.added)
	dst = appendU32(append(dst, opGlobalSet), w.fuel)
	return append(dst, opEnd)
}

// bulkBody is the function that charges for n bytes or entries and returns n.
func (w *rewriter) bulkBody() []byte {
	dst := []byte{0} // no locals
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
	dst = append(dst, opLocalGet, 0, opI32Const, bulkShift, opI32ShrU, opI64ExtendU, opI64Sub)
	dst = appendU32(append(dst, opGlobalSet), w.fuel)
	dst = w.refill(dst)
	return append(dst, opLocalGet, 0, opEnd)
}
