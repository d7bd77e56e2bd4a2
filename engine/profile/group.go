package profile

import (
	"fmt"
	"strings"
	"sync"
)

// group reads the text after "(". It returns nil for comments and for flags of the whole pattern:
// these are lawful only when first.
func (p *parser) group(f flags, first bool) *node {
	start := p.pos() - 1
	if !p.accept("?") {
		return p.capture("", f, start)
	}
	switch t := p.take(); t {
	case "":
		p.fail(0, "unexpected end of pattern", "")
	case "P":
		return p.python(f, start)
	case ":":
		return p.plain(f, start)
	case "#":
		p.comment(start)
		return nil
	case "=", "!":
		return p.look(f, start, false, t == "!")
	case "<":
		switch dir := p.take(); dir {
		case "":
			p.fail(0, "unexpected end of pattern", "")
		case "=", "!":
			return p.look(f, start, true, dir == "!")
		default:
			p.fail(len([]rune(dir))+2, "unknown extension ?<"+dir, "Python names a group with (?P<name>...)")
		}
	case "(":
		return p.condition(f, start)
	case ">":
		n := &node{op: opAtomic, subs: []*node{p.alternatives(f, false)}}
		p.close(start)
		return n.measure()
	default:
		if flagLetters[t] == 0 && t != "-" && t != "L" && t != "t" {
			p.fail(len([]rune(t))+1, "unknown extension ?"+t, "Python knows (?: (?= (?! (?<= (?<! (?> (?P< (?( (?# and flags")
		}
		return p.flagGroup(t, f, start, first)
	}
	return nil
}

func (p *parser) close(start int) {
	if !p.accept(")") {
		p.fail(p.pos()-start, "missing ), unterminated subpattern", `close the group, or write \( for the character`)
	}
}

// plain reads a group without memory. It stays one part, so a repeat may follow any content.
func (p *parser) plain(f flags, start int) *node {
	n := (&node{op: opCat, subs: []*node{p.alternatives(f, false)}}).measure()
	p.close(start)
	return n
}

func (p *parser) capture(name string, f flags, start int) *node {
	group := len(p.closed)
	p.closed = append(p.closed, nil)
	if name != "" {
		if old, ok := p.names[name]; ok {
			p.fail(len([]rune(name))+1, fmt.Sprintf("redefinition of group name %q as group %d; was group %d", name, group, old), "")
		}
		p.names[name] = group
	}
	n := &node{op: opGroup, group: group, subs: []*node{p.alternatives(f, false)}}
	p.close(start)
	p.closed[group] = n.measure()
	return n
}

// python reads (?P<name>...) and (?P=name).
func (p *parser) python(f flags, start int) *node {
	switch {
	case p.accept("<"):
		return p.capture(p.name(">"), f, start)
	case p.accept("="):
		name := p.name(")")
		back := len([]rune(name)) + 1
		group, ok := p.names[name]
		if !ok {
			p.fail(back, fmt.Sprintf("unknown group name %q", name), "name it first with (?P<"+name+">...)")
		}
		p.checkGroup(group, back)
		g := p.closed[group]
		return &node{op: opRef, group: group, fold: f.folding(), lo: g.lo, hi: g.hi, pos: start}
	}
	t := p.take()
	if t == "" {
		p.fail(0, "unexpected end of pattern", "")
	}
	p.fail(len([]rune(t))+2, "unknown extension ?P"+t, "")
	return nil
}

func (p *parser) name(terminator string) string {
	name := p.takeUntil(terminator, "group name")
	if !isIdentifier(name) {
		p.fail(len([]rune(name))+1, fmt.Sprintf("bad character in group name %q", name), "use letters, digits and _")
	}
	return name
}

var (
	nameStart = sync.OnceValue(func() *set { return newSet(nameStartRanges...) })
	nameRest  = sync.OnceValue(func() *set { return newSet(nameRanges...) })
)

// isIdentifier is Python's str.isidentifier.
func isIdentifier(s string) bool {
	for i, c := range s {
		if !pick(i == 0, nameStart(), nameRest()).has(c) {
			return false
		}
	}
	return s != ""
}

func (p *parser) comment(start int) {
	for t := p.take(); t != ")"; t = p.take() {
		if t == "" {
			p.fail(p.pos()-start, "missing ), unterminated comment", "")
		}
	}
}

func (p *parser) look(f flags, start int, behind, negate bool) *node {
	outermost := behind && p.behind == 0
	if outermost {
		p.behind = len(p.closed)
	}
	sub := p.alternatives(f, false)
	if outermost {
		p.behind = 0
	}
	p.close(start)
	if behind && sub.lo != sub.hi {
		p.fail(p.pos()-start, "look-behind requires fixed-width pattern", "give every alternative the same length")
	}
	return &node{op: opLook, subs: []*node{sub}, behind: behind, negate: negate}
}

// condition reads (?(group)yes|no) after its second parenthesis.
func (p *parser) condition(f flags, start int) *node {
	name := p.takeUntil(")", "group name")
	back := len([]rune(name)) + 1
	group, ok := p.names[name]
	if !ok {
		if isIdentifier(name) {
			p.fail(back, fmt.Sprintf("unknown group name %q", name), "")
		}
		group = p.conditionNumber(name, back)
	}
	pos := p.pos() - back
	if p.behind > 0 {
		p.checkGroup(group, back)
	}
	yes := p.sequence(f, false)
	no := &node{op: opEmpty}
	if p.accept("|") {
		no = p.sequence(f, false)
		if p.next == "|" {
			p.fail(0, "conditional backref with more than two branches", "put the alternatives into (?: )")
		}
	}
	p.close(start)
	return (&node{op: opCond, group: group, subs: []*node{yes, no}, pos: pos}).measure()
}

func (p *parser) conditionNumber(name string, back int) int {
	group, ok := pythonInt(name)
	if !ok {
		p.fail(back, fmt.Sprintf("bad character in group name %q", name), "")
	}
	if group == 0 {
		p.fail(back, "bad group number", "number the groups from 1")
	}
	if _, ok := p.wanted[group]; !ok {
		p.wanted[group] = p.pos() - back
	}
	return group
}

// pythonInt is Python's int of a non-negative text: blanks around, a sign, digits of any script,
// single underscores between them. Numbers above a million become a million.
func pythonInt(text string) (int, bool) {
	text = strings.TrimFunc(text, spaceSet.has)
	if text, minus := strings.CutPrefix(text, "-"); minus {
		n, ok := pythonInt("+" + text)
		return 0, ok && n == 0 && !strings.HasPrefix(text, "+")
	}
	text = strings.TrimPrefix(text, "+")
	n, gap := 0, true
	for _, c := range text {
		switch {
		case digitSet.has(c):
			n, gap = min(10*n+digit(c), 1_000_000), false
		case c == '_' && !gap:
			gap = true
		default:
			return 0, false
		}
	}
	return n, !gap
}

// digit is the value of a decimal digit: those of each script stand in order.
func digit(c rune) int {
	for i := 0; i < len(digitRanges); i += 2 {
		if c >= digitRanges[i] && c <= digitRanges[i+1] {
			return int(c-digitRanges[i]) % 10
		}
	}
	return 0
}

// flagGroup reads (?i), (?i-s:...) from its first letter or dash on.
func (p *parser) flagGroup(t string, f flags, start int, first bool) *node {
	var add, drop flags
	for t != "-" && t != ":" && t != ")" {
		add |= p.flag(t)
		if add&flagA != 0 && add&flagU != 0 {
			p.fail(0, "bad inline flags: flags 'a', 'u' and 'L' are incompatible", "")
		}
		t = p.take()
	}
	if t == ")" {
		if !first {
			p.fail(p.pos()-start, "global flags not at the start of the expression", "put them first, or write (?i:...)")
		}
		p.global |= add
		return nil
	}
	if t == "-" {
		for t = p.take(); t != ":" || drop == 0; t = p.take() {
			fl := p.flag(t)
			if fl&(flagA|flagU) != 0 {
				p.fail(0, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'", "")
			}
			drop |= fl
		}
	}
	if add&drop != 0 {
		p.fail(1, "bad inline flags: flag turned on and off", "")
	}
	if add&(flagA|flagU) != 0 {
		f &^= flagA | flagU
	}
	return p.scoped((f|add)&^drop, start)
}

// flag reads one flag letter.
func (p *parser) flag(t string) flags {
	fl := flagLetters[t]
	if t == "L" {
		p.fail(0, "bad inline flags: cannot use 'L' flag with a str pattern", "leave it out")
	}
	if t == "t" {
		p.fail(1, "not supported: the flag t", "it is not documented and left Python in 3.13: leave it out")
	}
	if fl == 0 {
		p.fail(len([]rune(t)), fmt.Sprintf("unknown or unsupported flag %q", t), "Python's text patterns know a, i, m, s, u and x")
	}
	return fl
}

// scoped reads a group with its own flags. Flags of the whole pattern removed here stay removed
// inside.
func (p *parser) scoped(f flags, start int) *node {
	global := p.global
	p.global = 0
	defer func() { p.global = global }()
	return p.plain(f, start)
}
