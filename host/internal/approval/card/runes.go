package card

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/bidi"
)

// hidden reports whether r is escaped wherever it stands.
func hidden(r rune) bool {
	switch {
	case r == openMark, r == closeMark, r == tabMark:
		return true
	case r < 0x7f:
		return r < ' '
	}
	return !unicode.IsPrint(r) || unicode.In(r, hiddenTables...) || slices.Contains(impostors, r) ||
		r >= 0xFF01 && r <= 0xFFEE || // full-width and half-width forms
		r >= 0x1D400 && r <= 0x1D7FF // mathematical letters
}

// turns reports whether r is written from right to left, turning around its neighbours as well:
// "mv א 1 ב" is drawn with its two files exchanged, and a line beginning with such a letter
// from its other end. Source: Unicode annex 9, the classes of odd level. RATIONALE.md, "Why are
// letters that run from right to left written out on a card?".
func turns(r rune) bool {
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return true
	}
	return false
}

// hiddenTables are printable by their category and yet draw nothing, or draw
// over their neighbours.
var hiddenTables = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point,
	unicode.Variation_Selector,
	unicode.Me, // enclosing marks
	{R16: []unicode.Range16{
		{Lo: 0x0334, Hi: 0x0338, Stride: 1}, // overlays
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x20D2, Hi: 0x20D3, Stride: 1}, // overlays
		{Lo: 0x20D8, Hi: 0x20DA, Stride: 1},
		{Lo: 0x20E5, Hi: 0x20E6, Stride: 1},
		{Lo: 0x20EA, Hi: 0x20EB, Stride: 1},
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // Braille blank
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xFFFC, Hi: 0xFFFC, Stride: 1}, // object replacement
	}, R32: []unicode.Range32{
		{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // musical null note head
	}},
}

// impostors are drawn like an ASCII character with a meaning to a shell, a path or a host name.
// Source: Unicode confusables, the part for punctuation.
var impostors = []rune{
	'\u2044', '\u2215', '\u2571', '\u29F8', // /
	'\u2216', '\u29F5', '\u29F9', '\uFE68', // \
	'\u2024', '\uA4F8', '\u0701', '\u0702', // .
	'\u201A', '\u060D', '\u066B', '\uA4F9', // ,
	'\u2236', '\uA789', '\u02D0', '\u02F8', '\u0589', '\u05C3', '\u0703', '\u0704', '\uA4FD', '\u16EC', '\uFE30', // :
	'\u037E',           // ;
	'\u01C3',           // !
	'\u0241', '\u0294', // ?
	'\u2010', '\u2011', '\u2012', '\u2043', '\u2212', '\uFE58', // -
	'\u02CD', '\uFE4D', '\uFE4E', '\uFE4F', // _
	'\u01C0', '\u2223', '\u23FD', '\u05C0', // |
	'\u2217', '\u204E', '\u066D', // *
	'\u02DC', '\u223C', '\u1FC0', // ~
	'\u02CB', '\u1FEF', '\u2035', '\u1FFD', // `
	'\u02B9', '\u02BC', '\u02C8', '\u2032', '\u1FBD', '\u1FBF', '\u1FFE', '\u05F3', '\uA78C', // '
	'\u02BA', '\u02EE', '\u2033', '\u05F4', // "
	'\u02C2', '\u2039', '\u276E', // <
	'\u02C3', '\u203A', '\u276F', // >
	'\u0251', '\u0261', '\u0131', '\u0269', // a, g, i, i
}

// lookalikeScripts have letters drawn like Latin ones.
var lookalikeScripts = [...]struct {
	name  string
	table *unicode.RangeTable
}{
	{"Cyrillic", unicode.Cyrillic},
	{"Greek", unicode.Greek},
	{"Armenian", unicode.Armenian},
	{"Cherokee", unicode.Cherokee},
	{"Coptic", unicode.Coptic},
	{"Lisu", unicode.Lisu},
	{"Georgian", unicode.Georgian},
}

// foreign reports whether r is a letter of a script similar to Latin.
func foreign(r rune) bool { return lookalike(r) >= 0 }

// lookalike is the index in lookalikeScripts of the script r belongs to, or -1.
func lookalike(r rune) int {
	if r < 0x80 {
		return -1
	}
	for i, s := range lookalikeScripts {
		if unicode.Is(s.table, r) {
			return i
		}
	}
	return -1
}

// scripts names the look-alike scripts in the text.
func scripts(text string) []string {
	var found [len(lookalikeScripts)]bool
	for _, r := range text {
		if i := lookalike(r); i >= 0 {
			found[i] = true
		}
	}
	var names []string
	for i, s := range lookalikeScripts {
		if found[i] {
			names = append(names, s.name)
		}
	}
	return names
}
