package profile

import (
	"slices"
	"sync"
	"unicode"
)

// alphabet renames characters to turn regexp2's comparison without regard to case, by Unicode's
// simple folding, into Python's, by lower case: ſ is no s there, İ is an i, and under (?a) only
// ASCII has case. Both the sets of a pattern and the text are written in it. The names are
// surrogates, missing in every text, or other renamed characters.
type alphabet struct {
	names map[rune]rune
	// touched are the renamed characters, and their names.
	touched *set
}

var alphabets = map[folding]func() *alphabet{
	foldUnicode: sync.OnceValue(func() *alphabet { return newAlphabet(foldUnicode) }),
	foldASCII:   sync.OnceValue(func() *alphabet { return newAlphabet(foldASCII) }),
}

func newAlphabet(f folding) *alphabet {
	a := &alphabet{names: map[rune]rune{}}
	if f == foldUnicode {
		// i, I and İ are one letter: they take the place of s, S and ſ.
		for from, to := range map[rune]rune{'i': 's', 'I': 'S', 'İ': 'ſ', 's': 'i', 'S': 'I'} {
			a.names[from] = to
		}
	}
	next := rune(0xd800)
	for c := range rune(maxRune + 1) {
		if _, named := a.names[c]; !named && a.mistaken(f, c) {
			a.names[c] = next
			next++
		}
	}
	var touched []rune
	for c, name := range a.names {
		touched = append(touched, c, c, name, name)
	}
	a.touched = newSet(touched...)
	return a
}

// mistaken reports whether a character with its own name would equal a different one. Among the
// characters equal for regexp2, those equal to the most others keep their names.
func (a *alphabet) mistaken(f folding, c rune) bool {
	if unicode.SimpleFold(c) == c {
		return false
	}
	orbit := []rune{c}
	for o := unicode.SimpleFold(c); o != c; o = unicode.SimpleFold(o) {
		orbit = append(orbit, o)
	}
	slices.Sort(orbit)
	best, most := rune(-1), 0
	for _, o := range orbit {
		if _, named := a.names[o]; named {
			continue
		}
		equal := 0
		for _, other := range orbit {
			if f.lower(other) == f.lower(o) {
				equal++
			}
		}
		if equal > most {
			best, most = f.lower(o), equal
		}
	}
	return c == 'ſ' || f.lower(c) != best
}

// text writes a text in the alphabet.
func (a *alphabet) text(text []rune) []rune {
	out := make([]rune, len(text))
	for i, c := range text {
		if name, ok := a.names[c]; ok {
			c = name
		}
		out[i] = c
	}
	return out
}

// set writes a set in the alphabet.
func (a *alphabet) set(s *set) *set {
	if !s.meetsAny(a.touched) {
		return s
	}
	var add []rune
	for c, name := range a.names {
		if s.has(c) {
			add = append(add, name, name)
		}
	}
	return s.not().or(a.touched).not().or(newSet(add...))
}
