package profile

import (
	"testing"
	"unicode"
)

// TestAlphabetsCompareAsPython: two characters, each by its name, are equal for
// regexp2's folding when Python finds their lower cases equal.
func TestAlphabetsCompareAsPython(t *testing.T) {
	t.Parallel()
	for f, build := range alphabets {
		a := build()
		byName := map[rune]rune{}
		equal := map[rune]int{} // characters of a lower case
		for c := range rune(maxRune + 1) {
			if c >= 0xd800 && c <= 0xdfff {
				continue
			}
			_, renamed := a.names[c]
			if unicode.SimpleFold(c) == c && f.lower(c) == c && len(raised()[c]) == 0 && !renamed {
				if other, taken := byName[c]; taken {
					t.Fatalf("folding %d: %U has the name of %U", f, other, c)
				}
				continue
			}
			name := a.text([]rune{c})[0]
			if other, taken := byName[name]; taken {
				t.Fatalf("folding %d: %U and %U are both named %U", f, c, other, name)
			}
			byName[name] = c
			equal[f.lower(c)]++
		}
		for name, c := range byName {
			found := 1
			for o := unicode.SimpleFold(name); o != name; o = unicode.SimpleFold(o) {
				if other, used := byName[o]; used {
					found++
					if f.lower(other) != f.lower(c) {
						t.Errorf("folding %d: %U is taken for %U", f, c, other)
					}
				}
			}
			if found != equal[f.lower(c)] {
				t.Errorf("folding %d: %U: %d characters are taken for equal, want %d", f, c, found, equal[f.lower(c)])
			}
		}
	}
}
