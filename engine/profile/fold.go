package profile

import (
	"slices"
	"sync"
)

// folding is how a pattern compares letters: not at all, or without regard to
// case, by Unicode's or only by ASCII's letters. The rules are those of
// Python's re._compiler, its quirks outside the basic plane included.
type folding uint8

const (
	foldNone folding = iota
	foldUnicode
	foldASCII
)

// The tables are made at their first use: every process of the program would pay for them at its
// start, a hook's too.
var (
	casedSet   = sync.OnceValue(func() *set { return newSet(casedRanges...) })
	asciiCased = sync.OnceValue(func() *set { return newSet('a', 'z', 'A', 'Z') })
	// lowerOf maps every character with another lower case to it; raised are those characters, by
	// their lower case.
	lowerOf = sync.OnceValue(func() map[rune]rune {
		lower := make(map[rune]rune, 1500)
		eachLowered(func(c, l rune) { lower[c] = l })
		return lower
	})
	raised = sync.OnceValue(func() map[rune][]rune {
		upper := make(map[rune][]rune, 1500)
		eachLowered(func(c, l rune) { upper[l] = append(upper[l], c) })
		return upper
	})
	// asciiLower is lowerOf for ASCII.
	asciiLower = sync.OnceValue(func() map[rune]rune {
		lower := make(map[rune]rune, 26)
		for c := 'A'; c <= 'Z'; c++ {
			lower[c] = c + 'a' - 'A'
		}
		return lower
	})
)

// eachLowered gives every character with another lower case, and that.
func eachLowered(give func(c, lower rune)) {
	for i := 0; i < len(lowerSteps); i += 4 {
		first, last, stride, delta := lowerSteps[i], lowerSteps[i+1], lowerSteps[i+2], lowerSteps[i+3]
		for c := first; c <= last; c += stride {
			give(c, c+delta)
		}
	}
}

// lower returns the simple lower case of c.
func (f folding) lower(c rune) rune {
	switch {
	case f == foldASCII && c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case f == foldUnicode:
		if l, ok := lowerOf()[c]; ok {
			return l
		}
	}
	return c
}

func (f folding) cased(c rune) bool {
	if f == foldASCII {
		return asciiCased().has(c)
	}
	return casedSet().has(c)
}

// same returns l, a lower case, and the lower cases equal to it.
func (f folding) same(l rune) []rune {
	if f == foldUnicode {
		return append([]rune{l}, extraCases[l]...)
	}
	return []rune{l}
}

// literal returns the matches of the single character c.
func (f folding) literal(c rune) *set {
	if f == foldNone || !f.cased(c) {
		return newSet(c, c)
	}
	return f.unfold(single(f.same(f.lower(c))))
}

// unfold returns the characters with a lower case in lowered.
func (f folding) unfold(lowered *set) *set {
	var add, drop []rune
	each := func(from, to rune) {
		if lowered.has(to) {
			add = append(add, from, from)
		} else if lowered.has(from) {
			drop = append(drop, from, from)
		}
	}
	for from, to := range f.capitals() {
		each(from, to)
	}
	return newSet(lowered.not().or(newSet(drop...)).not().or(newSet(add...)).ranges...)
}

func single(chars []rune) *set {
	var out []rune
	for _, c := range chars {
		out = append(out, c, c)
	}
	return newSet(out...)
}

// item is one member of a character class: a range, or a category.
type item struct {
	lo, hi rune
	class  *set
}

// class returns the matches of a bracketed class. Source: _optimize_charset and _compile in
// Python's re._compiler.
func (f folding) class(items []item, negate bool) *set {
	s := newSet()
	cased := false
	for _, it := range items {
		switch {
		case it.class != nil:
			s = s.or(it.class)
		case f == foldNone:
			s = s.or(newSet(it.lo, it.hi))
		default:
			cased = cased || f.anyCased(it.lo, it.hi)
			s = s.or(f.span(it.lo, it.hi))
		}
	}
	if cased {
		if negate {
			s = s.not()
		}
		return f.unfold(s)
	}
	if negate {
		return s.not()
	}
	return s
}

// anyCased reports whether a range needs comparing in lower case. Python takes
// everything outside the basic plane for such.
func (f folding) anyCased(lo, hi rune) bool {
	return hi > 0xffff || pick(f == foldASCII, asciiCased(), casedSet()).meets(lo, hi)
}

// span returns the lower cases of a range. Outside the basic plane Python compares a single
// character as it is, and a range with the lower and the upper case of the text.
func (f folding) span(lo, hi rune) *set {
	out := newSet(lo, hi)
	if last := min(hi, 0xffff); lo <= last {
		out = f.lowered(lo, last)
		if hi > last {
			out = out.or(newSet(last+1, hi))
		}
	}
	if hi <= 0xffff || lo == hi {
		return out
	}
	var more []rune
	for l, uppers := range raised() {
		if slices.ContainsFunc(uppers, func(u rune) bool { return u >= lo && u <= hi }) {
			more = append(more, l, l)
		}
	}
	return out.or(newSet(more...))
}

// lowered returns the lower cases of a range, and their equals.
func (f folding) lowered(lo, hi rune) *set {
	var add, drop []rune
	for from, to := range f.capitals() {
		if from >= lo && from <= hi {
			add, drop = append(add, to, to), append(drop, from, from)
		}
	}
	s := newSet(lo, hi).not().or(newSet(drop...)).not().or(newSet(add...))
	if f == foldASCII {
		return s
	}
	var extra []rune
	for l, others := range extraCases {
		if s.has(l) {
			for _, o := range others {
				extra = append(extra, o, o)
			}
		}
	}
	return s.or(newSet(extra...))
}

// capitals maps characters with another lower case to it.
func (f folding) capitals() map[rune]rune {
	if f == foldASCII {
		return asciiLower()
	}
	return lowerOf()
}
