package profile

import (
	"fmt"
	"strings"
)

// syntaxError is a pattern refused by Python, or without Python's meaning here.
type syntaxError struct {
	pos  int // in characters from the start of the pattern
	msg  string
	cure string
}

func (e *syntaxError) Error() string {
	if e.cure == "" {
		return fmt.Sprintf("position %d: %s", e.pos, e.msg)
	}
	return fmt.Sprintf("position %d: %s: %s", e.pos, e.msg, e.cure)
}

// unsupported refuses a valid pattern of Python, by name.
func unsupported(pos int, what, cure string) error {
	return &syntaxError{pos, "not supported: " + what, cure}
}

// flags are Python's inline flags.
type flags uint8

const (
	flagI flags = 1 << iota
	flagM
	flagS
	flagX
	flagA
	flagU
)

var flagLetters = map[string]flags{"i": flagI, "m": flagM, "s": flagS, "x": flagX, "a": flagA, "u": flagU}

// maxDepth bounds the nesting of groups; Python's own limit is near.
const maxDepth = 250

// maxCount bounds the numbers of a counted repeat; no action is as long.
const maxCount = 1 << 24

// parser reads one pattern in Python's syntax. It panics with a *syntaxError; parse turns the panic
// into its result.
type parser struct {
	src   []rune
	index int    // of the character after next
	next  string // one character, or a backslash and one; empty at the end

	global flags // set by (?i) at the start
	names  map[string]int
	// closed are the groups by number, nil while open; 0 is the whole pattern.
	closed []*node
	// behind is the number of groups when the outermost look-behind opened; 0
	// outside of one.
	behind int
	// wanted are groups named by number in conditions, with their positions.
	wanted map[int]int
	depth  int
}

// parse reads a pattern. The error is a *syntaxError.
func parse(pattern string) (root *node, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*syntaxError)
			if !ok {
				panic(r)
			}
			root, err = nil, e
		}
	}()
	p := &parser{src: []rune(pattern), names: map[string]int{}, closed: make([]*node, 1), wanted: map[int]int{}}
	p.advance()
	root = p.alternatives(0, true)
	if p.next != "" {
		p.fail(0, "unbalanced parenthesis", `write \) for the character`)
	}
	if p.global&flagA != 0 && p.global&flagU != 0 {
		p.fail(0, "the flags a and u are incompatible", "")
	}
	for group, pos := range p.wanted {
		if group >= len(p.closed) {
			panic(&syntaxError{pos, fmt.Sprintf("invalid group reference %d", group), "number the groups from 1"})
		}
	}
	return root, nil
}

// advance reads the next token.
func (p *parser) advance() {
	if p.index >= len(p.src) {
		p.next = ""
		return
	}
	end := p.index + 1
	if p.src[p.index] == '\\' {
		end++
		if end > len(p.src) {
			panic(&syntaxError{len(p.src) - 1, "bad escape (end of pattern)", `write \\ for a backslash`})
		}
	}
	p.next = string(p.src[p.index:end])
	p.index = end
}

func (p *parser) take() string {
	t := p.next
	p.advance()
	return t
}

func (p *parser) accept(t string) bool {
	if p.next != t {
		return false
	}
	p.advance()
	return true
}

// pos is the position of the next token.
func (p *parser) pos() int { return p.index - len([]rune(p.next)) }

// seek goes back to a position.
func (p *parser) seek(pos int) {
	p.index = pos
	p.advance()
}

// fail refuses the pattern, back characters before the next token.
func (p *parser) fail(back int, msg, cure string) {
	panic(&syntaxError{max(p.pos()-back, 0), msg, cure})
}

// takeWhile reads up to n characters of charset.
func (p *parser) takeWhile(n int, charset string) string {
	var out strings.Builder
	for range n {
		if p.next == "" || !strings.Contains(charset, p.next) {
			break
		}
		out.WriteString(p.take())
	}
	return out.String()
}

// takeUntil reads a name up to its terminator.
func (p *parser) takeUntil(terminator, what string) string {
	var out strings.Builder
	for {
		t := p.take()
		switch {
		case t == terminator && out.Len() > 0:
			return out.String()
		case t == terminator || (t == "" && out.Len() == 0):
			p.fail(1, "missing "+what, "")
		case t == "":
			p.fail(len([]rune(out.String())), fmt.Sprintf("missing %s, unterminated name", terminator), "")
		}
		out.WriteString(t)
	}
}

// alternatives reads a|b|c. f are the flags in force; top marks the whole
// pattern, where flags may still be set for everything.
func (p *parser) alternatives(f flags, top bool) *node {
	if p.depth++; p.depth > maxDepth {
		p.fail(0, fmt.Sprintf("not supported: more than %d groups inside each other", maxDepth), "nest less")
	}
	defer func() { p.depth-- }()
	alts := []*node{p.sequence(f, top)}
	for p.accept("|") {
		alts = append(alts, p.sequence(f|p.global, false))
	}
	if len(alts) == 1 {
		return alts[0]
	}
	return (&node{op: opAlt, subs: alts}).measure()
}

const (
	whitespace = " \t\n\r\v\f"
	digits     = "0123456789"
	octal      = "01234567"
	hexDigits  = "0123456789abcdefABCDEF"
)

// sequence reads parts up to the next | or ). first allows flags for the whole
// pattern before any part.
func (p *parser) sequence(f flags, first bool) *node {
	var parts []*node
	for p.next != "" && p.next != "|" && p.next != ")" {
		t := p.take()
		f |= p.global
		switch {
		case f&flagX != 0 && strings.Contains(whitespace, t):
		case f&flagX != 0 && t == "#":
			for c := p.take(); c != "" && c != "\n"; c = p.take() {
			}
		case t[0] == '\\':
			parts = append(parts, p.escape(t, f))
		case t == "[":
			parts = append(parts, p.class(f))
		case t == "*" || t == "+" || t == "?" || t == "{":
			parts = p.repeat(t, parts, f)
		case t == ".":
			parts = append(parts, setNode(pick(f&flagS != 0, anySet, notLineFeed)))
		case t == "(":
			if n := p.group(f, first && len(parts) == 0); n != nil {
				parts = append(parts, n)
			}
		case t == "^":
			parts = append(parts, at(f, atStart, atLineStart))
		case t == "$":
			parts = append(parts, at(f, atEndLine, atLineEnd))
		default:
			parts = append(parts, setNode(f.folding().literal([]rune(t)[0])))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return (&node{op: opCat, subs: parts}).measure()
}

func at(f flags, single, multi place) *node {
	if f&flagM != 0 {
		return &node{op: opAt, place: multi}
	}
	return &node{op: opAt, place: single}
}

func setNode(s *set) *node { return (&node{op: opSet, set: s}).measure() }

func (f flags) folding() folding {
	switch {
	case f&flagI == 0:
		return foldNone
	case f&flagA != 0:
		return foldASCII
	}
	return foldUnicode
}

// repeat reads a quantifier and puts it on the last part.
func (p *parser) repeat(t string, parts []*node, f flags) []*node {
	here := p.pos()
	lo, hi, ok := p.bounds(t)
	if !ok {
		p.seek(here)
		return append(parts, setNode(f.folding().literal('{')))
	}
	if len(parts) == 0 || parts[len(parts)-1].op == opAt {
		p.fail(p.pos()-here+1, "nothing to repeat", `write \`+t+" for the character")
	}
	item := parts[len(parts)-1]
	if item.op == opRepeat {
		p.fail(p.pos()-here+1, "multiple repeat", "put what is repeated twice into (?: )")
	}
	r := &node{op: opRepeat, subs: []*node{item}, min: lo, max: hi}
	switch {
	case p.accept("?"):
		r.appetite = lazy
	case p.accept("+"):
		r.appetite = possessive
	}
	parts[len(parts)-1] = r.measure()
	return parts
}

// bounds reads the numbers of a quantifier; false for a plain brace.
func (p *parser) bounds(t string) (lo, hi int, ok bool) {
	switch t {
	case "?":
		return 0, 1, true
	case "*":
		return 0, unlimited, true
	case "+":
		return 1, unlimited, true
	}
	if p.next == "}" {
		return 0, 0, false
	}
	here := p.pos()
	from := p.takeWhile(len(p.src), digits)
	to := from
	if p.accept(",") {
		to = p.takeWhile(len(p.src), digits)
	}
	if !p.accept("}") {
		return 0, 0, false
	}
	lo, hi = 0, unlimited
	if from != "" {
		lo = p.count(from)
	}
	if to != "" {
		if hi = p.count(to); hi < lo {
			p.fail(p.pos()-here, "min repeat greater than max repeat", "swap the numbers")
		}
	}
	return lo, hi, true
}

func (p *parser) count(text string) int {
	n := 0
	for _, c := range text {
		if n = n*10 + int(c-'0'); n > maxCount {
			p.fail(len(text), fmt.Sprintf("not supported: a repeat of more than %d", maxCount), "no action is as long: use * or +")
		}
	}
	return n
}
