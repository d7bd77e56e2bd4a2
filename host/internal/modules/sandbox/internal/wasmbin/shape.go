package wasmbin

import "fmt"

// shape is a function's counts with influence on the cost of compiling it, as measured on
// wazero v1.12.0 with large functions of one kind.
type shape struct {
	instrs int64
	heavy  int64 // trapping or vector instructions: ten times the code
	calls  int64
	blocks int64 // beginnings of blocks
	ifs    int64
	nested int64 // for each if, the ifs around it
	loops  int64
	exits  int64 // br_if
	labels int64 // targets of all br_tables
	locals int64 // parameters too
	// operands, passages and turns are pairs of a value and a place it must survive: operands
	// and begins of blocks, locals and begins or exits of blocks, locals and loops.
	operands int64
	passages int64
	turns    int64
	moves    int64 // values taken and left by calls and blocks, and brought by branches
	changing int64 // mutable globals of the module, read again after each call
}

// measurer reads the functions of a module one after the other.
type measurer struct {
	rewriter
	reader
	shape
	height int64
	ifs    int64 // the open ones
	places int64 // where blocks begin or are left
	open   []scope
	spans  []span
	rounds []round
}

// scope is an open block: the operands below it, its parameters and results.
type scope struct {
	below, params, results int64
	isIf, loop             bool
	outer                  bool  // a loop in no other loop
	widest                 int64 // the most values a branch from here may bring
}

// span is from where to where a local is wanted, in places and in loops.
type span struct {
	used        bool
	first, last point
	round       int // the outermost loop it was last wanted in; -1 for none
}

type point struct{ places, loops int64 }

// round is an outermost loop, from its head to its end: values used in it are live throughout.
type round struct{ head, end point }

// shapes calls each with the shape of every function defined by a module.
func shapes(wasm []byte, each func(function uint32, s *shape) error) error {
	s, err := split(wasm)
	if err != nil {
		return err
	}
	m := &measurer{rewriter: rewriter{sections: s}}
	changing, err := m.declarations()
	if err != nil {
		return err
	}
	r, n := m.sections.reader(secCode)
	for i := range n {
		function := m.imported + i
		m.reader = r.sub(r.u32())
		m.shape = shape{changing: changing}
		if m.measure(m.typeOf(function)); m.err != nil {
			return in(fmt.Sprintf("code section, function %d", function), m.err)
		}
		if err := each(function, &m.shape); err != nil {
			return err
		}
	}
	return r.err
}

// declarations reads the types of functions, and counts the mutable globals.
func (m *measurer) declarations() (changing int64, err error) {
	if err := m.readTypes(); err != nil {
		return 0, err
	}
	imports, err := m.imports()
	if err != nil {
		return 0, err
	}
	for _, i := range imports {
		m.functions = append(m.functions, i.typ)
	}
	m.imported = uint32(len(imports))
	r, n := m.sections.reader(secFunction)
	for range n {
		m.functions = append(m.functions, r.u32())
	}
	if r.err != nil {
		return 0, r.err
	}
	r, n = m.sections.reader(secGlobal)
	for range n {
		_, mutable := r.byte(), r.byte()
		changing += int64(mutable & 1)
		m.expression(r, nil)
	}
	return changing, r.err
}

func (m *measurer) measure(typ functionType) {
	m.begin(typ)
	var i instr
	for !m.done() && len(m.open) > 0 {
		if m.next(&i); m.err != nil {
			return
		}
		m.instrs++
		m.step(&i)
	}
	m.finish()
}

func (m *measurer) begin(typ functionType) {
	m.locals = int64(len(typ.params))
	for range m.vector(2) {
		m.locals += int64(m.u32())
		m.byte()
		if err := atMost("locals", uint64(m.locals), maxLocals); err != nil {
			m.fail(err)
		}
	}
	m.height, m.ifs, m.places = 0, 0, 0
	m.open = append(m.open[:0], scope{results: int64(len(typ.results)), widest: int64(len(typ.results))})
	m.rounds = m.rounds[:0]
	if m.err == nil && int64(cap(m.spans)) < m.locals {
		m.spans = make([]span, m.locals)
	}
	m.spans = m.spans[:min(m.locals, int64(cap(m.spans)))]
	clear(m.spans)
}

// finish adds up how far each local is wanted.
func (m *measurer) finish() {
	for i := range m.spans {
		s := &m.spans[i]
		if s.used && s.round >= 0 {
			s.last = m.rounds[s.round].end
		}
		m.passages += s.last.places - s.first.places
		m.turns += s.last.loops - s.first.loops
	}
}

func (m *measurer) here() point { return point{m.places, m.loops} }

// want notes that a local is read or written. A local read first is live from the beginning: it
// is a parameter or zero.
func (m *measurer) want(index uint32, read bool) {
	if int(index) >= len(m.spans) {
		return
	}
	s, at, in := &m.spans[index], m.here(), m.inLoop()
	if s.used && s.round >= 0 && s.round != in {
		s.round = -1 // it is used after that loop
	}
	if !s.used && !read {
		s.first = at
		if in >= 0 {
			s.first = m.rounds[in].head
		}
	}
	s.used, s.last, s.round = true, at, in
}

// inLoop is the outermost open loop, -1 for none.
func (m *measurer) inLoop() int {
	if n := len(m.rounds) - 1; n >= 0 && m.rounds[n].end == (point{}) {
		return n
	}
	return -1
}

// step follows the operand stack past an instruction. Where code is dead, the
// count is too high at most.
func (m *measurer) step(i *instr) {
	switch i.op {
	case opBlock, opLoop, opIf:
		m.enter(i)
	case opElse:
		top := m.open[len(m.open)-1]
		m.height = top.below + top.params
	case opEnd:
		m.leave()
	case opBr:
		m.moves += m.arity(i.index)
	case opBrIf:
		m.exits++
		m.places++
		m.moves += m.arity(i.index)
		m.pop(1)
	case opBrTable:
		m.labels += int64(i.second) + 1
		m.moves += times(int64(i.second)+1, m.open[len(m.open)-1].widest)
		m.pop(1)
	case opCall:
		m.call(m.typeOf(i.index), 0)
	case opCallIndirect:
		m.heavy++
		m.call(m.typeAt(i.index), 1)
	case opMisc:
		m.heavy++
		m.apply(miscEffects[i.misc])
	case opVector:
		m.heavy++
		m.apply(vectorEffects[i.misc])
	default:
		m.plain(i)
	}
}

// arity is how many values a branch to a label brings.
func (m *measurer) arity(label uint32) int64 {
	if int64(label) >= int64(len(m.open)) {
		return 0
	}
	return m.open[len(m.open)-1-int(label)].arity()
}

func (s *scope) arity() int64 {
	if s.loop {
		return s.params
	}
	return s.results
}

func (m *measurer) plain(i *instr) {
	if canTrap(i.op) {
		m.heavy++
	}
	switch i.op {
	case opLocalGet:
		m.want(i.index, true)
	case opLocalSet, opLocalTee:
		m.want(i.index, false)
	}
	m.apply(effects[i.op])
}

// canTrap reports whether the engine adds a check to an instruction.
func canTrap(op byte) bool {
	switch {
	case op >= opFirstLoad && op <= opLastStore, op == opTableGet, op == opTableSet, op == opMemoryGrow:
		return true
	case op >= 0x6d && op <= 0x70, op >= 0x7f && op <= 0x82: // division
		return true
	case op >= 0xa8 && op <= 0xab, op >= 0xae && op <= 0xb1: // truncation
		return true
	}
	return false
}

func (m *measurer) enter(i *instr) {
	var s scope
	switch i.op {
	case opIf:
		m.pop(1)
		m.shape.ifs++
		m.nested += m.ifs
		m.ifs++
		s.isIf = true
	case opLoop:
		if m.inLoop() < 0 {
			s.outer = true
			m.rounds = append(m.rounds, round{head: m.here()})
		}
		m.loops++
		s.loop = true
	default:
		m.blocks++
	}
	m.places++
	switch typ := i.block; {
	case typ >= 0:
		t := m.typeAt(uint32(typ))
		s.params, s.results = int64(len(t.params)), int64(len(t.results))
	case typ != -64:
		s.results = 1
	}
	m.operands += m.height
	m.moves += s.params + s.results
	s.below = max(m.height-s.params, 0)
	s.widest = max(m.open[len(m.open)-1].widest, s.arity())
	m.open = append(m.open, s)
}

func (m *measurer) leave() {
	top := m.open[len(m.open)-1]
	m.open = m.open[:len(m.open)-1]
	m.height = top.below + top.results
	m.places++
	if top.isIf {
		m.ifs--
	}
	if top.outer {
		m.rounds[len(m.rounds)-1].end = m.here()
	}
}

func (m *measurer) call(t functionType, extra int64) {
	m.calls++
	m.moves += int64(len(t.params) + len(t.results))
	m.pop(int64(len(t.params)) + extra)
	m.height += int64(len(t.results))
}

func (m *measurer) apply(e effect) {
	m.pop(int64(e.pops))
	m.height += int64(e.pushes)
}

func (m *measurer) pop(n int64) { m.height = max(m.height-n, 0) }
