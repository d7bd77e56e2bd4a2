package profile

import (
	"slices"
	"sort"
)

// set is a set of characters: inclusive ranges, ascending, never touching.
type set struct {
	ranges []rune
	// ascii repeats the answer for the first 128 characters.
	ascii [2]uint64
}

const maxRune = 0x10ffff

// newSet normalises inclusive ranges, given as lo, hi, lo, hi in any order.
func newSet(pairs ...rune) *set {
	type span struct{ lo, hi rune }
	spans := make([]span, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		spans = append(spans, span{pairs[i], pairs[i+1]})
	}
	slices.SortFunc(spans, func(a, b span) int { return int(a.lo - b.lo) })
	s := &set{}
	for _, sp := range spans {
		if n := len(s.ranges); n > 0 && sp.lo <= s.ranges[n-1]+1 {
			s.ranges[n-1] = max(s.ranges[n-1], sp.hi)
			continue
		}
		s.ranges = append(s.ranges, sp.lo, sp.hi)
	}
	for c := range rune(128) {
		if s.search(c) {
			s.ascii[c/64] |= 1 << (c % 64)
		}
	}
	return s
}

func (s *set) search(c rune) bool {
	i := sort.Search(len(s.ranges)/2, func(i int) bool { return s.ranges[2*i+1] >= c })
	return 2*i < len(s.ranges) && s.ranges[2*i] <= c
}

// has reports whether c is in the set.
func (s *set) has(c rune) bool {
	if c >= 0 && c < 128 {
		return s.ascii[c/64]&(1<<(c%64)) != 0
	}
	return s.search(c)
}

// meets reports whether a character from lo to hi is in the set.
func (s *set) meets(lo, hi rune) bool {
	i := sort.Search(len(s.ranges)/2, func(i int) bool { return s.ranges[2*i+1] >= lo })
	return 2*i < len(s.ranges) && s.ranges[2*i] <= hi
}

// meetsAny reports whether the sets have a character in common.
func (s *set) meetsAny(t *set) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if t.meets(s.ranges[i], s.ranges[i+1]) {
			return true
		}
	}
	return false
}

// not returns the complement.
func (s *set) not() *set {
	var out []rune
	next := rune(0)
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i] > next {
			out = append(out, next, s.ranges[i]-1)
		}
		next = s.ranges[i+1] + 1
	}
	if next <= maxRune {
		out = append(out, next, maxRune)
	}
	return newSet(out...)
}

// or returns the union.
func (s *set) or(t *set) *set {
	return newSet(slices.Concat(s.ranges, t.ranges)...)
}

// The classes of Python's escapes. The ASCII ones hold under (?a).
var (
	anySet       = newSet(0, maxRune)
	lineFeed     = newSet('\n', '\n')
	notLineFeed  = lineFeed.not()
	wordSet      = newSet(wordRanges...)
	digitSet     = newSet(digitRanges...)
	spaceSet     = newSet(spaceRanges...)
	asciiWordSet = newSet('a', 'z', 'A', 'Z', '0', '9', '_', '_')
	asciiDigits  = newSet('0', '9')
	asciiSpace   = newSet(' ', ' ', '\t', '\r')
)

// category returns the class of \d, \s, \w or of their capital complements.
func category(letter rune, ascii bool) *set {
	var s *set
	switch letter | 0x20 {
	case 'd':
		s = pick(ascii, asciiDigits, digitSet)
	case 's':
		s = pick(ascii, asciiSpace, spaceSet)
	default:
		s = pick(ascii, asciiWordSet, wordSet)
	}
	if letter&0x20 == 0 {
		return s.not()
	}
	return s
}

// pick returns the first set when the condition holds, else the second.
func pick(first bool, a, b *set) *set {
	if first {
		return a
	}
	return b
}
