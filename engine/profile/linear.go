package profile

import "errors"

// errSteps ends a match beyond its time.
var errSteps = errors.New("the patterns need too many steps for this action")

// budget counts the steps of one decision.
type budget struct{ left int }

func (b *budget) spend(n int) error {
	if b.left -= n; b.left < 0 {
		return errSteps
	}
	return nil
}

// Bounds of programs, in instructions of about 50 bytes; counted repeats are written out. A larger
// pattern backtracks.
const (
	maxInstructions    = 20_000  // of one
	maxAllInstructions = 200_000 // of all of a profile
)

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

// program is a pattern without memory: its matches depend only on the text. Look-arounds are
// programs of their own, asked by position.
type program struct {
	insts []instruction
	start int
	looks []look
}

// look is a look-around. One ahead runs from right to left, so one pass answers for all positions.
type look struct {
	prog           *program
	behind, negate bool
	// node is the body, for analysis before the text is known.
	node *node
}

// compiler builds programs back to front: each part knows where to go next.
type compiler struct {
	prog *program
	// reverse compiles a body to be run from right to left.
	reverse bool
	// loose replaces constructs with memory by their widest match; for Offered.
	loose bool
	// room is how many instructions there may still be, here and in look-arounds.
	room *int
	// tooLarge and memory tell why there is no program.
	tooLarge, memory bool
}

// compileLinear returns nil for a pattern with a need for backtracking. It takes its instructions
// from room.
func compileLinear(root *node, loose bool, room *int) *program {
	mine := min(*room, maxInstructions)
	c := &compiler{prog: &program{}, loose: loose, room: &mine}
	before := mine
	match := c.emit(instruction{code: codeMatch})
	c.prog.start = c.node(root, match)
	if c.tooLarge || c.memory {
		return nil
	}
	*room -= before - mine
	return c.prog
}

func (c *compiler) emit(in instruction) int {
	if *c.room--; *c.room < 0 {
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
	sub := &compiler{prog: &program{}, reverse: !n.behind, loose: c.loose, room: c.room}
	match := sub.emit(instruction{code: codeMatch})
	sub.prog.start = sub.node(n.subs[0], match)
	c.memory = c.memory || sub.memory
	c.tooLarge = c.tooLarge || sub.tooLarge || len(c.prog.looks) > maxInstructions/100
	c.prog.looks = append(c.prog.looks, look{prog: sub.prog, behind: n.behind, negate: n.negate, node: n.subs[0]})
	return c.emit(instruction{code: codeLook, look: len(c.prog.looks) - 1, x: next})
}
