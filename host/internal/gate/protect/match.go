package protect

import (
	"path"
	"strings"
	"unicode"
)

// foldRune is the least of the letters differing by case alone; format characters are dropped.
func foldRune(r rune) rune {
	if unicode.In(r, unicode.Cf) {
		return -1
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// match compares a pattern with a place: whether a path of the pattern can be the place or
// below it, and whether one can be above it. "**" stands for any number of components, globs
// for their matches.
func match(pattern []string, p place) (within, above bool) {
	if len(pattern) > 512 {
		return true, true
	}
	for i := range min(len(pattern), len(p.parts)) {
		if isGlob(pattern[i]) || isGlob(p.parts[i]) {
			break
		}
		if pattern[i] != p.parts[i] {
			return false, false // as nearly always
		}
	}
	rows, columns := len(pattern)+1, len(p.parts)+1
	reached := make([]bool, rows*columns)
	reached[0] = true
	for i := range rows {
		for j := range columns {
			switch {
			case !reached[i*columns+j]:
			case j == columns-1:
				// Nothing lies below a file.
				within = within || !p.file || strings.Trim(strings.Join(pattern[i:], ""), "*") == ""
			case i == rows-1:
				above = true
			case pattern[i] == "**":
				reached[(i+1)*columns+j], reached[i*columns+j+1] = true, true
			case mayBe(pattern[i], p.parts[j]):
				reached[(i+1)*columns+j+1] = true
			}
		}
	}
	return within, above
}

// mayBe tells whether the component written can mean the component own. Either
// may be a glob; of two, the answer is yes.
func mayBe(written, own string) bool {
	glob, ownGlob := isGlob(written), isGlob(own)
	switch {
	case glob && ownGlob:
		return true
	case ownGlob:
		ok, err := path.Match(own, written)
		return ok || err != nil
	case glob:
		ok, err := path.Match(looseGlob(written), own)
		return ok || err != nil && strings.HasPrefix(own, written[:strings.IndexAny(written, `*?[{\`)])
	}
	return written == own
}

// looseGlob reads braces as anything.
func looseGlob(text string) string {
	for {
		open := strings.IndexByte(text, '{')
		end := strings.LastIndexByte(text, '}')
		if open < 0 || end < open {
			return text
		}
		text = text[:open] + "*" + text[end+1:]
	}
}

// names tells whether the component written can mean a name with a leading dot
// of a project: globs leave such names out unless they write the dot.
func names(written, own string) bool {
	if isGlob(written) && !strings.HasPrefix(written, ".") {
		return false
	}
	return mayBe(written, own)
}

func isGlob(part string) bool { return strings.ContainsAny(part, "*?[{") }
