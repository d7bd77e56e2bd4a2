package profile

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Bounds of the search for an action without a denial.
const (
	maxProductStates = 4000
	maxLetterWork    = 2_000_000 // sets times the places where one begins or ends
)

// Offered reports whether a tool is worth offering to the model, by
// [ShapeOf] its actions.
func (c *Compiled) Offered(tool string) bool { return c.Offers(ShapeOf(tool)) }

// Offers reports whether a tool with actions of these shapes is worth offering to the model: false
// only when every such action is provably denied. In doubt it is true, because each call is decided
// anyway. Without a shape it is false.
func (c *Compiled) Offers(shapes ...Shape) bool {
	return slices.ContainsFunc(shapes, c.offers)
}

func (c *Compiled) offers(s Shape) bool {
	if s.Exact {
		a := c.Decide([]string{s.Text})
		return a.Behavior != engine.Deny || a.Note != ""
	}
	b := &budget{left: maxSteps}
	text := []rune(s.Text)
	room := maxAllInstructions
	var start product
	for _, p := range slices.Concat(c.allow, c.ask) {
		prog := p.prog
		if prog == nil {
			prog = compileLinear(p.root, true, &room)
		}
		if prog == nil {
			return true
		}
		f := newFrontier(prog, text, b)
		start.allow = append(start.allow, f.after())
		if f.err != nil {
			return true
		}
	}
	for _, p := range c.deny {
		if p.prog == nil {
			continue // its denials are unknown: count on nothing
		}
		f := newFrontier(p.prog, text, b)
		start.deny = append(start.deny, f.after())
		if f.err != nil {
			return true
		}
	}
	return start.alive(b)
}

// truth is the known state of a position before the rest of the text: no, maybe, or surely.
type truth uint8

const (
	never truth = iota
	maybe
	surely
)

func (t truth) not() truth { return surely - t }

// frontier runs a program over the known beginning of a longer text. Each instruction is reached
// never, maybe, or surely.
type frontier struct {
	prog  *program
	text  []rune
	spent *budget
	reach []truth // by instruction, at the current position
	err   error
}

// states are one program's instructions waiting for a character or match, and how surely they are
// reached.
type states struct {
	prog  *program
	reach map[int]truth
}

func newFrontier(p *program, text []rune, b *budget) *frontier {
	return &frontier{prog: p, text: text, spent: b}
}

// after returns the states behind the known text.
func (f *frontier) after() states {
	f.reach = make([]truth, len(f.prog.insts))
	f.add(f.prog.start, 0, surely)
	for i, c := range f.text {
		before := f.reach
		f.reach = make([]truth, len(f.prog.insts))
		for pc, t := range before {
			if in := &f.prog.insts[pc]; t != never && in.code == codeSet && in.set.has(c) {
				f.add(in.x, i+1, t)
			}
		}
	}
	return f.waiting()
}

func (f *frontier) waiting() states {
	s := states{f.prog, map[int]truth{}}
	for pc, t := range f.reach {
		if code := f.prog.insts[pc].code; t != never && (code == codeSet || code == codeMatch) {
			s.reach[pc] = t
		}
	}
	return s
}

// add reaches pc and its successors without a character.
func (f *frontier) add(pc, pos int, t truth) {
	if f.err == nil {
		f.err = f.spent.spend(1)
	}
	if f.reach[pc] >= t || f.err != nil {
		return
	}
	f.reach[pc] = t
	switch in := &f.prog.insts[pc]; in.code {
	case codeSplit:
		f.add(in.x, pos, t)
		f.add(in.y, pos, t)
	case codeAt:
		f.add(in.x, pos, min(t, f.at(in.place, pos)))
	case codeLook:
		f.add(in.x, pos, min(t, f.look(&f.prog.looks[in.look], pos)))
	}
}

// at tells whether a place holds before the rest of the text is known.
func (f *frontier) at(p place, pos int) truth {
	known := pos < len(f.text) && !strings.ContainsRune("\n", f.text[pos])
	start := p == atStart || p == atLineStart
	if !start && !known {
		return maybe
	}
	// The next character is no line feed, or does not matter: any longer text gives the same.
	if p.holds(append(f.text[:len(f.text):len(f.text)], 'x', 'x'), pos) {
		return surely
	}
	return never
}

// look tells whether a look-around holds before the rest of the text is known.
func (f *frontier) look(l *look, pos int) truth {
	t := maybe
	room := maxInstructions
	body := &compiler{prog: &program{}, room: &room}
	match := body.emit(instruction{code: codeMatch})
	body.prog.start = body.node(l.node, match)
	if !body.memory && !body.tooLarge {
		from := pos
		if l.behind {
			from -= l.node.lo
		}
		t = f.body(body.prog, from, pos, l.behind)
	}
	if l.negate {
		return t.not()
	}
	return t
}

// body runs the body of a look-around from a position of the known text: up to
// pos when it looks behind, else as far as the text is known.
func (f *frontier) body(p *program, from, pos int, behind bool) truth {
	if from < 0 {
		return never
	}
	sub := &frontier{prog: p, text: f.text, spent: f.spent, reach: make([]truth, len(p.insts))}
	sub.add(p.start, from, surely)
	best := sub.matched()
	for i := from; i < len(f.text) && (!behind || i < pos); i++ {
		before := sub.reach
		sub.reach = make([]truth, len(p.insts))
		for pc, t := range before {
			if in := &p.insts[pc]; t != never && in.code == codeSet && in.set.has(f.text[i]) {
				sub.add(in.x, i+1, t)
			}
		}
		best = max(best, sub.matched())
	}
	if f.err == nil {
		f.err = sub.err
	}
	if !behind && best != surely && len(sub.waiting().reach) > 0 {
		return maybe
	}
	return best
}

func (f *frontier) matched() truth {
	for pc, t := range f.reach {
		if f.prog.insts[pc].code == codeMatch && t != never {
			return t
		}
	}
	return never
}
