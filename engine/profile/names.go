package profile

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/runenames"
)

// named reads \N{NAME} after its N.
func (p *parser) named() rune {
	if !p.accept("{") {
		p.fail(0, "missing {", `write \N{NAME OF THE CHARACTER}`)
	}
	name := p.takeUntil("}", "character name")
	c, ok := lookup(name)
	if !ok {
		p.fail(len([]rune(name))+4, "undefined character name "+strconv.Quote(name), `write \u and four hexadecimal digits`)
	}
	return c
}

// lookup finds a character by its names in Python 3.11: those of Unicode 14, without regard to
// case, and the computed ones, in capitals.
func lookup(name string) (rune, bool) {
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		return ideograph(hex)
	}
	if sound, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		c, ok := hangul()[sound]
		return c, ok
	}
	c, ok := characterNames()[upper(name)]
	return c, ok
}

// upper changes ASCII letters only: other capitals may be ASCII, and no name is.
func upper(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c
	}, s)
}

// ideographs are the ranges of Unicode 14.
var ideographs = sync.OnceValue(func() *set {
	return newSet(0x3400, 0x4dbf, 0x4e00, 0x9fff, 0x20000, 0x2a6df, 0x2a700, 0x2b738, 0x2b740, 0x2b81d, 0x2b820, 0x2cea1, 0x2ceb0, 0x2ebe0, 0x30000, 0x3134a)
})

func ideograph(hex string) (rune, bool) {
	n, err := strconv.ParseUint(hex, 16, 32)
	ok := err == nil && (len(hex) == 4 || len(hex) == 5) && strings.Trim(hex, "0123456789ABCDEF") == ""
	return rune(n), ok && ideographs().has(rune(n))
}

// hangul are the syllables by their sound: a first consonant, a vowel and
// perhaps a last consonant. Source: the Unicode standard, section 3.12.
var hangul = sync.OnceValue(func() map[string]rune {
	first := strings.Split("G,GG,N,D,DD,R,M,B,BB,S,SS,,J,JJ,C,K,T,P,H", ",")
	vowels := strings.Split("A,AE,YA,YAE,EO,E,YEO,YE,O,WA,WAE,OE,YO,U,WEO,WE,WI,YU,EU,YI,I", ",")
	last := strings.Split(",G,GG,GS,N,NJ,NH,D,L,LG,LM,LB,LS,LT,LP,LH,M,B,BS,S,SS,NG,J,C,K,T,P,H", ",")
	out := make(map[string]rune, 11172)
	for i, f := range first {
		for j, v := range vowels {
			for k, l := range last {
				out[f+v+l] = rune(0xac00 + (i*len(vowels)+j)*len(last) + k)
			}
		}
	}
	return out
})

// newer are the characters named by Unicode after Python 3.11.
var newer = sync.OnceValue(func() *set {
	return newSet(0xcf3, 0xcf3, 0xece, 0xece, 0x10efd, 0x10eff, 0x1123f, 0x11241, 0x11b00, 0x11b09, 0x11f00, 0x11f59, 0x1342f, 0x1342f, 0x13439, 0x13455,
		0x1b132, 0x1b132, 0x1b155, 0x1b155, 0x1d2c0, 0x1d2d3, 0x1df25, 0x1df2a, 0x1e030, 0x1e06d, 0x1e08f, 0x1e08f, 0x1e4d0, 0x1e4f9, 0x1f6dc, 0x1f6dc, 0x1f774, 0x1f776,
		0x1f77b, 0x1f77f, 0x1f7d9, 0x1f7d9, 0x1fa75, 0x1fa77, 0x1fa87, 0x1fa88, 0x1faad, 0x1faaf, 0x1fabb, 0x1fabd, 0x1fabf, 0x1fabf, 0x1face, 0x1facf, 0x1fada, 0x1fadb,
		0x1fae8, 0x1fae8, 0x1faf7, 0x1faf8)
})

// characterNames is built when the first pattern names a character.
var characterNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40000)
	for c := range rune(maxRune) {
		if name := runenames.Name(c); name != "" && name[0] != '<' && !newer().has(c) {
			names[name] = c
		}
	}
	for i := range 256 {
		names["VS"+strconv.Itoa(i+1)] = names["VARIATION SELECTOR-"+strconv.Itoa(i+1)]
	}
	for line := range strings.Lines(strings.TrimSpace(aliases)) {
		hex, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		c, _ := strconv.ParseUint(hex, 16, 32) // the list is ours
		names[name] = rune(c)
	}
	return names
})
