package profile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// controls are the escapes of single characters. \b is one in classes only.
var controls = map[string]rune{`\a`: 7, `\b`: 8, `\f`: '\f', `\n`: '\n', `\r`: '\r', `\t`: '\t', `\v`: '\v', `\\`: '\\'}

var places = map[string]place{`\A`: atStart, `\Z`: atEnd, `\b`: atWord, `\B`: atNotWord}

// escape reads an escape outside of classes; t is its first token.
func (p *parser) escape(t string, f flags) *node {
	if pl, ok := places[t]; ok {
		if pl >= atWord && f&flagA != 0 {
			pl += atASCIIWord - atWord
		}
		return &node{op: opAt, place: pl}
	}
	if s := categoryOf(t, f); s != nil {
		return setNode(s)
	}
	if c := t[1]; c >= '1' && c <= '9' {
		if group, isRef := p.groupNumber(t); isRef {
			return p.ref(group, f, len(t))
		}
	}
	return setNode(f.folding().literal(p.character(t)))
}

func categoryOf(t string, f flags) *set {
	if len(t) == 2 && strings.Contains("dDsSwW", t[1:]) {
		return category(rune(t[1]), f&flagA != 0)
	}
	return nil
}

// groupNumber distinguishes a reference (\1, \12) from an octal escape (\101), and in the second
// case goes back to the escape.
func (p *parser) groupNumber(t string) (int, bool) {
	here := p.pos()
	text := t[1:]
	if p.next != "" && strings.Contains(digits, p.next) {
		text += p.take()
		if strings.Trim(text, octal) == "" && p.next != "" && strings.Contains(octal, p.next) {
			p.seek(here)
			return 0, false
		}
	}
	n, _ := strconv.Atoi(text) // two digits
	return n, true
}

// ref makes a reference to a group.
func (p *parser) ref(group int, f flags, back int) *node {
	if group >= len(p.closed) {
		p.fail(back-1, fmt.Sprintf("invalid group reference %d", group), "number the groups from 1, in the order they open")
	}
	p.checkGroup(group, back)
	g := p.closed[group]
	return &node{op: opRef, group: group, fold: f.folding(), lo: g.lo, hi: g.hi, pos: p.pos() - back}
}

// checkGroup refuses references Python refuses.
func (p *parser) checkGroup(group, back int) {
	if group >= len(p.closed) || p.closed[group] == nil {
		p.fail(back, "cannot refer to an open group", "")
	}
	if p.behind > 0 && group >= p.behind {
		p.fail(back, "cannot refer to group defined in the same lookbehind subpattern", "")
	}
}

// character reads an escape for one character, in a class or not.
func (p *parser) character(t string) rune {
	if c, ok := controls[t]; ok {
		return c
	}
	c := []rune(t)[1]
	switch {
	case c == 'x':
		return p.hex(t, 2)
	case c == 'u':
		return p.hex(t, 4)
	case c == 'U':
		return p.hex(t, 8)
	case c == 'N':
		return p.named()
	case c < 128 && strings.ContainsRune(octal, c):
		text := t[1:] + p.takeWhile(2, octal)
		n, _ := strconv.ParseInt(text, 8, 32) // three octal digits
		if n > 0o377 {
			p.fail(len(text)+1, fmt.Sprintf(`octal escape value \%s outside of range 0-0o377`, text), `write \x and two hexadecimal digits`)
		}
		return rune(n)
	case c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		p.fail(len(t), "bad escape "+t, "Python knows no such escape; leave the backslash out for the character")
	}
	return c
}

func (p *parser) hex(t string, n int) rune {
	text := p.takeWhile(n, hexDigits)
	if len(text) != n {
		p.fail(len(text)+2, "incomplete escape "+t+text, fmt.Sprintf("write %d hexadecimal digits", n))
	}
	v, _ := strconv.ParseInt(text, 16, 64) // eight hexadecimal digits
	if v > maxRune {
		p.fail(len(text)+2, "bad escape "+t+text, "no such character")
	}
	return rune(v)
}

// class reads a bracketed class after its "[".
func (p *parser) class(f flags) *node {
	here := p.pos() - 1
	negate := p.accept("^")
	var items []item
	for {
		t := p.take()
		if t == "" {
			p.fail(p.pos()-here, "unterminated character set", `close it with ], or write \[ for the character`)
		}
		if t == "]" && len(items) > 0 {
			break
		}
		lo := p.member(t, f)
		if !p.accept("-") {
			items = append(items, lo)
			continue
		}
		t2 := p.take()
		switch t2 {
		case "":
			p.fail(p.pos()-here, "unterminated character set", `close it with ], or write \[ for the character`)
		case "]":
			items = append(items, lo, item{lo: '-', hi: '-'})
			return setNode(classSet(f, items, negate))
		}
		hi := p.member(t2, f)
		if lo.class != nil || hi.class != nil || hi.lo < lo.lo {
			p.fail(len([]rune(t+t2))+1, fmt.Sprintf("bad character range %s-%s", t, t2), `write \- for the character`)
		}
		items = append(items, item{lo: lo.lo, hi: hi.lo})
	}
	return setNode(classSet(f, items, negate))
}

// classSet builds the set. Python reads a class of one character as the character.
func classSet(f flags, items []item, negate bool) *set {
	first, one := items[0], true
	for _, it := range items {
		one = one && it == first && it.class == nil && it.lo == it.hi
	}
	if !one {
		return f.folding().class(items, negate)
	}
	s := f.folding().literal(first.lo)
	if negate {
		return s.not()
	}
	return s
}

// member reads one member of a class.
func (p *parser) member(t string, f flags) item {
	if t[0] != '\\' {
		c := []rune(t)[0]
		return item{lo: c, hi: c}
	}
	if s := categoryOf(t, f); s != nil {
		return item{class: s}
	}
	if t == `\8` || t == `\9` {
		p.fail(2, "bad escape "+t, "")
	}
	c := p.character(t)
	return item{lo: c, hi: c}
}
