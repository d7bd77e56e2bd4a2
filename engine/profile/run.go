package profile

import (
	"slices"
	"sync"
)

// machine is the memory to run programs in, one at a time.
type machine struct {
	spent *budget
	own   budget  // the target of spent, outside of look-arounds
	on    subject // the decided ones
	// lists hold the instructions at two positions, one after the other.
	list, next []int32
	stack      []int32
	// seen holds, per instruction, the mark of its last list.
	seen []uint64
	mark uint64
	// inner runs look-arounds.
	inner *machine
}

// machines are reused: a decision in the common case allocates nothing here.
var machines = sync.Pool{New: func() any { return &machine{} }}

// maxKept bounds, in instructions, the reused machines.
const maxKept = 4096

func (m *machine) release() {
	if len(m.seen) > maxKept {
		return
	}
	m.on = subject{}
	machines.Put(m)
}

// prepare makes room for a program.
func (m *machine) prepare(p *program) {
	if need := len(p.insts) - len(m.seen); need > 0 {
		m.seen = append(m.seen, make([]uint64, need)...)
	}
}

// run is one program on one text.
type run struct {
	*machine
	prog *program
	text []rune
	// truth holds, per look-around, the answers of all positions once asked.
	truth [][]bool
	err   error
}

// fullMatch reports whether the program matches the text to its end, from a
// position and an instruction on.
func (p *program) fullMatch(text []rune, from, pc int, m *machine) (bool, error) {
	m.prepare(p)
	r := &run{machine: m, prog: p, text: text}
	m.mark++
	list, next := r.add(m.list[:0], pc, from), m.next
	for i := from; i < len(text) && len(list) > 0 && r.err == nil; i++ {
		next = r.step(next[:0], list, text[i], i+1)
		list, next = next, list
	}
	m.list, m.next = list, next
	return r.err == nil && r.matched(list), r.err
}

// step puts on next the successors of list at pos after taking c.
func (r *run) step(next, list []int32, c rune, pos int) []int32 {
	r.mark++
	for _, pc := range list {
		if in := &r.prog.insts[pc]; in.code == codeSet && in.set.has(c) {
			next = r.add(next, in.x, pos)
		}
	}
	return next
}

func (r *run) matched(list []int32) bool {
	return slices.ContainsFunc(list, func(pc int32) bool { return r.prog.insts[pc].code == codeMatch })
}

// add puts on the list the instructions reachable from pc without taking a character.
func (r *run) add(list []int32, pc, pos int) []int32 {
	stack := append(r.stack[:0], int32(pc))
	for len(stack) > 0 && r.err == nil {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r.seen[pc] == r.mark {
			continue
		}
		r.seen[pc] = r.mark
		r.err = r.spent.spend(1)
		switch in := &r.prog.insts[pc]; in.code {
		case codeSplit:
			stack = append(stack, int32(in.y), int32(in.x))
		case codeAt:
			if in.place.holds(r.text, pos) {
				stack = append(stack, int32(in.x))
			}
		case codeLook:
			if r.looks(in.look, pos) {
				stack = append(stack, int32(in.x))
			}
		default:
			list = append(list, pc)
		}
	}
	r.stack = stack
	return list
}

// looks reports whether a look-around holds at pos; the first question answers
// all positions in one pass.
func (r *run) looks(i, pos int) bool {
	if r.truth == nil {
		r.truth = make([][]bool, len(r.prog.looks))
	}
	if r.truth[i] == nil {
		if r.inner == nil {
			r.inner = &machine{}
		}
		r.inner.spent = r.spent
		l := &r.prog.looks[i]
		if r.truth[i], r.err = l.positions(r.text, r.inner); r.err != nil {
			return false
		}
	}
	return r.truth[i][pos] != r.prog.looks[i].negate
}

// positions tells for each position whether the body matches there: ahead of
// it, or behind it.
func (l *look) positions(text []rune, m *machine) ([]bool, error) {
	m.prepare(l.prog)
	r := &run{machine: m, prog: l.prog, text: text}
	out := make([]bool, len(text)+1)
	list, next := m.list[:0], m.next
	m.mark++
	for step := range len(out) {
		pos := step
		if !l.behind {
			pos = len(text) - step
		}
		list = r.add(list, l.prog.start, pos)
		out[pos] = r.matched(list)
		if step == len(text) || r.err != nil {
			break
		}
		if l.behind {
			next = r.step(next[:0], list, text[pos], pos+1)
		} else {
			next = r.step(next[:0], list, text[pos-1], pos-1)
		}
		list, next = next, list
	}
	m.list, m.next = list, next
	return out, r.err
}
