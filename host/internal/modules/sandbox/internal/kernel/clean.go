package kernel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a guest's text fit to be shown on one line: invalid UTF-8 is
// replaced, control and invisible format characters become blanks, runs of blanks one,
// and it is cut to limit bytes at a character's boundary.
func Clean(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	text = text[:limit]
	for len(text) > 0 && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text
}

// cleanBytes is Clean for possibly many more bytes than are shown.
func cleanBytes(text []byte, limit int) string {
	return Clean(string(text[:min(len(text), 4*limit)]), limit)
}
