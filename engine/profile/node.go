package profile

// op is a node's operation.
type op uint8

const (
	opEmpty  op = iota // matches the empty text
	opSet              // one character of set
	opCat              // subs in order
	opAlt              // the first of subs with a match for the rest
	opRepeat           // subs[0], min to max times
	opGroup            // subs[0], remembered as group
	opRef              // the text of group again
	opCond             // subs[0] when group took part, else subs[1]
	opAtomic           // the first match of subs[0], never another
	opLook             // subs[0] ahead or behind, without taking it
	opAt               // a place
)

// appetite is the order of a repeat's tries.
type appetite uint8

const (
	greedy appetite = iota
	lazy
	possessive
)

// place is a condition on a position. Source: Python's re, "AT" codes.
type place uint8

const (
	atStart        place = iota // \A, ^
	atLineStart                 // (?m)^
	atEnd                       // \Z
	atEndLine                   // $: at the end, or before a line feed at the end of the text
	atLineEnd                   // (?m)$
	atWord                      // \b
	atNotWord                   // \B
	atASCIIWord                 // (?a)\b
	atNotASCIIWord              // (?a)\B
)

// unlimited is the max of a repeat without an upper bound.
const unlimited = -1

// node is one part of a parsed pattern.
type node struct {
	op       op
	set      *set
	subs     []*node
	min, max int
	appetite appetite
	group    int
	fold     folding // of opRef
	behind   bool    // of opLook
	negate   bool    // of opLook
	lo, hi   int     // width in characters; hi may be unlimited
	place    place
	pos      int // of opRef and opCond, in the pattern
}

// measure sets the width of a node from its parts, as Python's getwidth.
func (n *node) measure() *node {
	switch n.op {
	case opSet:
		n.lo, n.hi = 1, 1
	case opCat:
		for _, s := range n.subs {
			n.lo, n.hi = addWidth(n.lo, s.lo), addMax(n.hi, s.hi)
		}
	case opAlt, opCond:
		n.lo, n.hi = n.subs[0].lo, n.subs[0].hi
		for _, s := range n.subs[1:] {
			n.lo, n.hi = min(n.lo, s.lo), wider(n.hi, s.hi)
		}
	case opGroup, opAtomic:
		n.lo, n.hi = n.subs[0].lo, n.subs[0].hi
	case opRepeat:
		n.lo, n.hi = n.subs[0].lo*n.min, times(n.subs[0].hi, n.max)
		n.lo = min(n.lo, maxWidth)
	}
	return n
}

// maxWidth keeps widths from overflowing; no action is as long.
const maxWidth = 1 << 40

func addWidth(a, b int) int { return min(a+b, maxWidth) }

func addMax(a, b int) int {
	if a == unlimited || b == unlimited {
		return unlimited
	}
	return addWidth(a, b)
}

func wider(a, b int) int {
	if a == unlimited || b == unlimited {
		return unlimited
	}
	return max(a, b)
}

func times(width, n int) int {
	switch {
	case width == 0 || n == 0:
		return 0
	case width == unlimited || n == unlimited:
		return unlimited
	}
	return min(width*n, maxWidth)
}

// holds reports whether the place is at position i of text.
func (p place) holds(text []rune, i int) bool {
	switch p {
	case atStart:
		return i == 0
	case atLineStart:
		return i == 0 || text[i-1] == '\n'
	case atEnd:
		return i == len(text)
	case atEndLine:
		return i == len(text) || (i == len(text)-1 && text[i] == '\n')
	case atLineEnd:
		return i == len(text) || text[i] == '\n'
	}
	if len(text) == 0 {
		return false // Python finds neither \b nor \B in the empty text
	}
	words, want := wordSet, p == atWord || p == atASCIIWord
	if p == atASCIIWord || p == atNotASCIIWord {
		words = asciiWordSet
	}
	before := i > 0 && words.has(text[i-1])
	after := i < len(text) && words.has(text[i])
	return (before != after) == want
}
