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

// code rewrites all function bodies and adds those of bulk and the thunks.
func (w *rewriter) code() error {
	r, n := w.reader(secCode)
	content := appendU32(nil, n+1+uint32(len(w.thunks)))
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
	content = append(appendU32(content, uint32(len(bulk))), bulk...)
	params, err := w.paramCounts()
	if err != nil {
		return err
	}
	for _, t := range w.thunks {
		if int(t.typ) >= len(params) {
			return fmt.Errorf("there is no type %d", t.typ)
		}
		body := w.thunkBody(t, params[t.typ])
		content = append(appendU32(content, uint32(len(body))), body...)
	}
	w.sections[secCode] = content
	return r.end()
}

// thunk is a function that stands for a dear import wherever the module speaks
// of it, also in tables: it charges, then calls the import.
type thunk struct{ imported, typ uint32 }

func (w *rewriter) thunkBody(t thunk, params uint32) []byte {
	dst := w.charge([]byte{0}, growCost) // no locals
	for i := range params {
		dst = appendU32(append(dst, opLocalGet), i)
	}
	dst = appendU32(append(dst, opCall), t.imported)
	return append(dst, opEnd)
}

// paramCounts returns how many parameters each type has.
func (w *rewriter) paramCounts() ([]uint32, error) {
	r, n := w.reader(secType)
	var counts []uint32
	for range n {
		if form := r.byte(); form != 0x60 && r.err == nil {
			return nil, fmt.Errorf("type of kind 0x%02x is not supported", form)
		}
		params := r.count()
		r.take(params)
		r.take(r.count())
		counts = append(counts, params)
	}
	return counts, r.err
}

// edit is one change to a function body: the bytes from at to end are replaced
// by a charge of cost, a call of bulk, or the instruction op on a moved function.
type edit struct {
	at, end  int
	kind     editKind
	op       byte
	function uint32
	cost     int64
}

type editKind uint8

const (
	editCharge editKind = iota
	editBulk
	editMove
)

// body rewrites one function: it charges at the entry, at the head of each
// loop, and before what takes time by its operands. The result is valid until
// the next call.
func (w *rewriter) body(body []byte) ([]byte, error) {
	r := &reader{data: body}
	if err := skipLocals(r); err != nil {
		return nil, err
	}
	if err := w.findEdits(r); err != nil {
		return nil, err
	}
	out, done := w.scratch[:0], 0
	for _, e := range w.edits {
		out = append(out, body[done:e.at]...)
		switch e.kind {
		case editCharge:
			out = w.charge(out, e.cost)
		case editBulk:
			out = appendU32(append(out, opCall), w.bulk)
		case editMove:
			out = appendU32(append(out, e.op), e.function)
		}
		done = e.end
	}
	w.scratch = append(out, body[done:]...)
	return w.scratch, nil
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

// findEdits reads the instructions of a body and lists the changes in their order.
// The entry and each loop cost by the number of instructions inside, so that
// straight code of any length pays. It also makes sure that the blocks of the
// body close just where it ends.
func (w *rewriter) findEdits(r *reader) error {
	edits := append(w.edits[:0], edit{at: r.pos, end: r.pos})
	open := append(w.open[:0], block{0, 0})
	for n := int64(1); !r.done(); n++ {
		if len(open) == 0 {
			return errors.New("instructions after the last end")
		}
		start := r.pos
		i := r.next()
		w.result.Restorable = w.result.Restorable && !i.lasting()
		switch i.op {
		case opBlock, opIf:
			open = append(open, block{-1, n})
		case opLoop:
			open = append(open, block{len(edits), n})
			edits = append(edits, edit{at: r.pos, end: r.pos})
		case opEnd:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			if last.charge >= 0 {
				edits[last.charge].cost = 1 + (n-last.start)/perUnit
			}
		case opCall, opRefFunc:
			edits = append(edits, edit{at: start, end: r.pos, kind: editMove, op: i.op, function: w.function(r, i.index)})
		case opGlobalGet, opGlobalSet:
			w.global(r, i.index)
		case opMemoryGrow, opMisc:
			if i.bulk() {
				edits = append(edits, edit{at: start, end: start, kind: editBulk})
			} else if i.grows() {
				edits = append(edits, edit{at: start, end: start, cost: growCost})
			}
		}
	}
	w.edits, w.open = edits, open
	if r.err == nil && len(open) > 0 {
		return errors.New("a block is not closed")
	}
	return r.err
}

// block is an open block of a body: which edit charges for it, or -1, and at
// which instruction it began.
type block struct {
	charge int
	start  int64
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
	dst = appendU32(append(dst, opGlobalGet), w.fuel)
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
