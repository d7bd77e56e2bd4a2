package profile

import (
	"errors"
	"time"
)

// errSteps ends a match that would take too long.
var errSteps = errors.New("the patterns need too many steps for this action")

// budget is what one decision may use up.
type budget struct {
	left  int           // steps of programs
	spent time.Duration // on what backtracks
}

func (b *budget) spend(n int) error {
	if b.left -= n; b.left < 0 {
		return errSteps
	}
	return nil
}

// maxInstructions bounds a program; counted repeats are written out.
const maxInstructions = 20000

type opcode uint8

const (
	codeSet   opcode = iota // take one character of set, go to x
	codeSplit               // go to x and to y
	codeAt                  // go to x when place holds
	codeLook                // go to x when look holds
	codeMatch
)

type instruction struct {
	code  opcode
	x, y  int
	set   *set
	place place
	look  int
}

// program is a pattern without memory: what it matches depends only on the
// text. Look-arounds are programs of their own, asked by position.
type program struct {
	insts []instruction
	start int
	looks []look
}

// look is a look-around. That ahead runs from right to left, so that one pass
// tells all positions.
type look struct {
	prog           *program
	behind, negate bool
	// node is the body, for what is known before the text is.
	node *node
}

// compiler builds programs back to front: each part knows where to go next.
type compiler struct {
	prog *program
	// reverse compiles a body to be run from right to left.
	reverse bool
	// loose takes what has memory for what it could match at most; for Offered.
	loose bool
	// tooLarge and memory tell why there is no program.
	tooLarge, memory bool
}

// compileLinear returns nil for a pattern that needs backtracking.
func compileLinear(root *node, loose bool) *program {
	c := &compiler{prog: &program{}, loose: loose}
	match := c.emit(instruction{code: codeMatch})
	c.prog.start = c.node(root, match)
	if c.tooLarge || c.memory {
		return nil
	}
	return c.prog
}

func (c *compiler) emit(in instruction) int {
	if len(c.prog.insts) >= maxInstructions {
		c.tooLarge = true
		return 0
	}
	c.prog.insts = append(c.prog.insts, in)
	return len(c.prog.insts) - 1
}

// node compiles n to go on at next, and returns where it starts.
func (c *compiler) node(n *node, next int) int {
	if c.tooLarge || c.memory {
		return 0
	}
	switch n.op {
	case opSet:
		return c.emit(instruction{code: codeSet, set: n.set, x: next})
	case opCat:
		for i := range n.subs {
			sub := n.subs[len(n.subs)-1-i]
			if c.reverse {
				sub = n.subs[i]
			}
			next = c.node(sub, next)
		}
		return next
	case opAlt:
		return c.alternatives(n.subs, next)
	case opRepeat:
		return c.repeat(n, next)
	case opGroup:
		return c.node(n.subs[0], next)
	case opAt:
		return c.emit(instruction{code: codeAt, place: n.place, x: next})
	case opLook:
		return c.look(n, next)
	case opRef, opCond, opAtomic:
		return c.remembering(n, next)
	}
	return next
}

func (c *compiler) alternatives(subs []*node, next int) int {
	at := c.node(subs[len(subs)-1], next)
	for i := len(subs) - 2; i >= 0; i-- {
		at = c.emit(instruction{code: codeSplit, x: c.node(subs[i], next), y: at})
	}
	return at
}

// remembering handles the parts with memory.
func (c *compiler) remembering(n *node, next int) int {
	if !c.loose {
		c.memory = true
		return 0
	}
	switch n.op {
	case opRef:
		return c.node(&node{op: opRepeat, max: unlimited, subs: []*node{{op: opSet, set: anySet}}}, next)
	case opCond:
		return c.alternatives(n.subs, next)
	}
	return c.node(n.subs[0], next)
}

func (c *compiler) repeat(n *node, next int) int {
	if n.appetite == possessive && !c.loose {
		c.memory = true
		return 0
	}
	body := n.subs[0]
	if n.max == unlimited {
		loop := c.emit(instruction{code: codeSplit, y: next})
		at := c.node(body, loop)
		if c.tooLarge {
			return 0
		}
		c.prog.insts[loop].x = at
		next = loop
	}
	for range n.max - n.min {
		next = c.emit(instruction{code: codeSplit, x: c.node(body, next), y: next})
		if c.tooLarge {
			return 0
		}
	}
	for range n.min {
		if next = c.node(body, next); c.tooLarge {
			return 0
		}
	}
	return next
}

func (c *compiler) look(n *node, next int) int {
	sub := &compiler{prog: &program{}, reverse: !n.behind, loose: c.loose}
	match := sub.emit(instruction{code: codeMatch})
	sub.prog.start = sub.node(n.subs[0], match)
	c.memory = c.memory || sub.memory
	c.tooLarge = c.tooLarge || sub.tooLarge || len(c.prog.looks) > maxInstructions/100
	c.prog.looks = append(c.prog.looks, look{prog: sub.prog, behind: n.behind, negate: n.negate, node: n.subs[0]})
	return c.emit(instruction{code: codeLook, look: len(c.prog.looks) - 1, x: next})
}

// run is one program on one text.
type run struct {
	prog  *program
	text  []rune
	spent *budget
	// truth holds, per look-around, the answers of all positions once asked.
	truth [][]bool
	// seen marks the instructions on the list for the current position.
	seen  []int
	stack []int
	err   error
}

func newRun(p *program, text []rune, b *budget) *run {
	r := &run{prog: p, text: text, spent: b, truth: make([][]bool, len(p.looks)), seen: make([]int, len(p.insts))}
	for i := range r.seen {
		r.seen[i] = -1
	}
	return r
}

// fullMatch reports whether the program matches the whole text.
func (p *program) fullMatch(text []rune, b *budget) (bool, error) {
	r := newRun(p, text, b)
	var list, next []int
	list = r.add(list, p.start, 0)
	for i, c := range text {
		next = next[:0]
		for _, pc := range list {
			if in := &p.insts[pc]; in.code == codeSet && in.set.has(c) {
				next = r.add(next, in.x, i+1)
			}
		}
		list, next = next, list
		if r.err != nil || len(list) == 0 {
			return false, r.err
		}
	}
	return r.matched(list), r.err
}

func (r *run) matched(list []int) bool {
	for _, pc := range list {
		if r.prog.insts[pc].code == codeMatch {
			return true
		}
	}
	return false
}

// add puts on the list what can be reached from pc without taking a character.
func (r *run) add(list []int, pc, pos int) []int {
	r.stack = append(r.stack[:0], pc)
	for len(r.stack) > 0 {
		pc := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		if r.seen[pc] == pos {
			continue
		}
		r.seen[pc] = pos
		if err := r.spent.spend(1); err != nil {
			r.err = err
			return nil
		}
		switch in := &r.prog.insts[pc]; in.code {
		case codeSplit:
			r.stack = append(r.stack, in.y, in.x)
		case codeAt:
			if in.place.holds(r.text, pos) {
				r.stack = append(r.stack, in.x)
			}
		case codeLook:
			if r.looks(in.look, pos) {
				r.stack = append(r.stack, in.x)
			}
		default:
			list = append(list, pc)
		}
	}
	return list
}

// looks reports whether a look-around holds at pos; the first question answers
// all positions in one pass.
func (r *run) looks(i, pos int) bool {
	if r.truth[i] == nil {
		l := &r.prog.looks[i]
		r.truth[i], r.err = l.positions(r.text, r.spent)
		if r.err != nil {
			return false
		}
	}
	return r.truth[i][pos] != r.prog.looks[i].negate
}

// positions tells for each position whether the body matches there: ahead of
// it, or behind it.
func (l *look) positions(text []rune, b *budget) ([]bool, error) {
	r := newRun(l.prog, text, b)
	out := make([]bool, len(text)+1)
	var list, next []int
	for step := range len(text) + 1 {
		pos := step
		if !l.behind {
			pos = len(text) - step
		}
		list = r.add(list, l.prog.start, pos)
		if r.err != nil {
			return nil, r.err
		}
		out[pos] = r.matched(list)
		if step == len(text) {
			break
		}
		at, to := pos, pos+1
		if !l.behind {
			at, to = pos-1, pos-1
		}
		next = next[:0]
		for _, pc := range list {
			if in := &l.prog.insts[pc]; in.code == codeSet && in.set.has(text[at]) {
				next = r.add(next, in.x, to)
			}
		}
		list, next = next, list
		if r.err != nil {
			return nil, r.err
		}
	}
	return out, nil
}
