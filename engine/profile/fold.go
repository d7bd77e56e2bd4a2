package profile

import "slices"

// folding is how a pattern compares letters: not at all, or without regard to
// case, by Unicode's or only by ASCII's letters. The rules are those of
// Python's re._compiler, its quirks outside the basic plane included.
type folding uint8

const (
	foldNone folding = iota
	foldUnicode
	foldASCII
)

var (
	casedSet   = newSet(casedRanges...)
	asciiCased = newSet('a', 'z', 'A', 'Z')
	// lowerOf maps every character that has another lower case to it; raised
	// are those characters, by what they become.
	lowerOf = make(map[rune]rune, 1500)
	raised  = make(map[rune][]rune, 1500)
)

// asciiLower is lowerOf for ASCII.
var asciiLower = make(map[rune]rune, 26)

func init() {
	for c := 'A'; c <= 'Z'; c++ {
		asciiLower[c] = c + 'a' - 'A'
	}
	for i := 0; i < len(lowerSteps); i += 4 {
		first, last, stride, delta := lowerSteps[i], lowerSteps[i+1], lowerSteps[i+2], lowerSteps[i+3]
		for c := first; c <= last; c += stride {
			lowerOf[c] = c + delta
			raised[c+delta] = append(raised[c+delta], c)
		}
	}
}

// lower returns the simple lower case of c.
func (f folding) lower(c rune) rune {
	switch {
	case f == foldASCII && c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	case f == foldUnicode:
		if l, ok := lowerOf[c]; ok {
			return l
		}
	}
	return c
}

func (f folding) cased(c rune) bool {
	if f == foldASCII {
		return asciiCased.has(c)
	}
	return casedSet.has(c)
}

// same returns l, a lower case, and the lower cases that are equal to it.
func (f folding) same(l rune) []rune {
	if f == foldUnicode {
		return append([]rune{l}, extraCases[l]...)
	}
	return []rune{l}
}

// literal returns what the single character c matches.
func (f folding) literal(c rune) *set {
	if f == foldNone || !f.cased(c) {
		return newSet(c, c)
	}
	return f.unfold(single(f.same(f.lower(c))))
}

// unfold returns the characters whose lower case is in lowered.
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

// class returns what a bracketed class matches. Source: _optimize_charset and
// _compile in Python's re._compiler.
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
	return hi > 0xffff || pick(f == foldASCII, asciiCased, casedSet).meets(lo, hi)
}

// span returns the lower cases that a range stands for. Outside the basic plane
// Python compares a single character as it stands, and a range with the lower
// and the upper case of the text.
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
	for l, uppers := range raised {
		if slices.ContainsFunc(uppers, func(u rune) bool { return u >= lo && u <= hi }) {
			more = append(more, l, l)
		}
	}
	return out.or(newSet(more...))
}

// lowered returns the lower cases of a range, and what is equal to them.
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

// capitals maps what has another lower case to it.
func (f folding) capitals() map[rune]rune {
	if f == foldASCII {
		return asciiLower
	}
	return lowerOf
}
