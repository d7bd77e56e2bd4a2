package web

import (
	"fmt"
	"strings"
	"unicode"
)

// lookAlike says why a host may look like another one, or "". The usual mixtures of whole languages
// are none. Source: UTS 39, "moderately restrictive", and its whole-script confusables of Latin.
func lookAlike(host string) string {
	for _, label := range strings.Split(host, ".") {
		if !strings.HasPrefix(label, "xn--") {
			continue
		}
		shown, err := browser.ToUnicode(label)
		if err != nil {
			return fmt.Sprintf("the label %q is no international name", label)
		}
		if i := strings.IndexFunc(shown, func(r rune) bool { return r >= 0x80 && !unicode.In(r, unicode.L, unicode.M, unicode.N) }); i >= 0 {
			return fmt.Sprintf("%q (%s) holds what is neither a letter nor a digit", shown, label)
		}
		if !ordinaryMixture(shown) {
			return fmt.Sprintf("%q (%s) mixes letters of several scripts", shown, label)
		}
		if strings.Trim(shown, latinLooking+"0123456789-") == "" {
			return fmt.Sprintf("%q (%s) is written in letters that look Latin and are not", shown, label)
		}
	}
	return ""
}

// latinLooking are the Cyrillic, Greek and Armenian letters drawn like Latin ones.
const latinLooking = "аеорсухіјѕһԁԛԝӏьвгкмнтпшщүѵαοινυρκτωհոսցօքզյ"

// eastAsian are the scripts written together, and with Latin letters.
var eastAsian = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul}

// others are the distinguished scripts; letters of further ones count as one script.
var others = []*unicode.RangeTable{
	unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Georgian, unicode.Hebrew, unicode.Arabic, unicode.Devanagari, unicode.Thai,
}

// ordinaryMixture reports whether a label's letters are those of one script, or
// Latin and East Asian ones.
func ordinaryMixture(label string) bool {
	scripts := map[string]bool{}
	for _, r := range label {
		switch {
		case r < 0x80 && !unicode.IsLetter(r), unicode.Is(unicode.Common, r), unicode.Is(unicode.Inherited, r):
		case unicode.Is(unicode.Latin, r):
			scripts["Latin"] = true
		case unicode.In(r, eastAsian...):
			scripts["East Asian"] = true
		default:
			scripts[script(r)] = true
		}
	}
	return len(scripts) <= 1 || len(scripts) == 2 && scripts["Latin"] && scripts["East Asian"]
}

func script(r rune) string {
	for i, table := range others {
		if unicode.Is(table, r) {
			return string(rune('A' + i))
		}
	}
	return "another"
}
