package profile

import (
	"testing"
	"unicode"
)

// TestAlphabetsCompareAsPython: two characters, each by its name, are equal for
// regexp2's folding when Python finds their lower cases equal.
func TestAlphabetsCompareAsPython(t *testing.T) {
	t.Parallel()
	for f, make := range alphabets {
		a := make()
		byName := map[rune]rune{}
		byLower := map[rune][]rune{}
		for c := range rune(maxRune + 1) {
			if c >= 0xd800 && c <= 0xdfff {
				continue
			}
			name := a.text([]rune{c})[0]
			if other, taken := byName[name]; taken {
				t.Fatalf("folding %d: %U and %U are both named %U", f, c, other, name)
			}
			byName[name] = c
			byLower[f.lower(c)] = append(byLower[f.lower(c)], c)
		}
		for c := range rune(maxRune + 1) {
			if c >= 0xd800 && c <= 0xdfff {
				continue
			}
			equal := byLower[f.lower(c)]
			name := a.text([]rune{c})[0]
			found := 1
			for o := unicode.SimpleFold(name); o != name; o = unicode.SimpleFold(o) {
				if other, used := byName[o]; used {
					found++
					if f.lower(other) != f.lower(c) {
						t.Errorf("folding %d: %U is taken for %U", f, c, other)
					}
				}
			}
			if found != len(equal) {
				t.Errorf("folding %d: %U: %d characters are taken for equal, want %d: %U", f, c, found, len(equal), equal)
			}
		}
	}
}
