package paths

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s as a file system that ignores case and composition would see
// it, so that two spellings of one name become equal. Protections compare folded
// paths; allowances never do.
func Fold(s string) string {
	if plainLower(s) {
		return s
	}
	return norm.NFC.String(strings.ToLower(strings.ToUpper(longer.Replace(norm.NFC.String(s)))))
}

// longer are the letters whose case folding is longer than they are, which file
// systems that ignore case take for it.
var longer = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

func plainLower(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// foldName folds one path segment further, to what Windows and macOS take for
// the same name: trailing dots and blanks fall off, a stream name after ":" is
// cut, invisible characters are dropped, and git~1 is .git.
func foldName(name string) string {
	name = dropInvisible(name)
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	name = Fold(strings.TrimRight(name, ". "))
	if name == "git~1" {
		return ".git"
	}
	return name
}

// dropInvisible takes away the characters that file systems which ignore case
// do not see: joiners, directional marks, variation selectors.
func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' {
			return -1
		}
		return r
	}, s)
}

// foldLoosely folds a path as Fold does, and further to what another file system
// may take for the same: without invisible characters, nor the dots and blanks
// at the end of a name. What a deny rule names is compared with it, too.
func foldLoosely(p string) string {
	segments := strings.Split(dropInvisible(p), "/")
	for i, name := range segments {
		if bare := strings.TrimRight(name, ". "); bare != "" {
			segments[i] = bare
		}
	}
	return Fold(strings.Join(segments, "/"))
}
