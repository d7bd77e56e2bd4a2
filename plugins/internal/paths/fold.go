package paths

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s as seen by a file system without case and composition, so two spellings of one
// name become equal. Protections compare folded paths; allowances never do.
func Fold(s string) string {
	if plainLower(s) {
		return s
	}
	return norm.NFC.String(strings.ToLower(strings.ToUpper(longer.Replace(norm.NFC.String(s)))))
}

// longer are the letters with a longer case folding; file systems without case take the two for
// equal.
var longer = strings.NewReplacer("ß", "ss", "ẞ", "ss", "ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st")

func plainLower(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 || 'A' <= s[i] && s[i] <= 'Z' {
			return false
		}
	}
	return true
}

// foldName folds one path segment further, like Windows and macOS: it drops trailing dots and
// blanks, and invisible characters.
func foldName(name string) string {
	return Fold(strings.TrimRight(dropInvisible(name), ". "))
}

// aliases are the possible names behind a segment, folded: itself, without the name of an NTFS
// stream (".git::$INDEX_ALLOCATION"), and without a drive ("C:.git") or a revision of git's
// ("HEAD:.env").
func aliases(segment string) []string {
	whole := foldName(segment)
	i := strings.IndexByte(whole, ':')
	if i < 0 {
		return []string{whole}
	}
	list := []string{whole, foldName(whole[:i])}
	for _, part := range strings.Split(whole[i+1:], ":") {
		if part = foldName(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// shortName returns Windows' short form of a long name, for programs of short names alone: "git~"
// and ".git" for .gitconfig and .git are both "git" without its number. Source: the 8.3 names of
// FAT and NTFS, for names in the tables.
func shortName(name string) string {
	trimmed := strings.TrimLeft(name, ".")
	base, ext := trimmed, ""
	if dot := strings.LastIndexByte(trimmed, '.'); dot >= 0 {
		base, ext = trimmed[:dot], trimmed[dot:]
	}
	base = shortLetters.Replace(base)
	return base[:min(6, len(base))] + "~" + ext[:min(4, len(ext))]
}

var shortLetters = strings.NewReplacer(".", "", " ", "", "+", "_")

// shortened removes the number from a folded name in the short form: "gitcon~1" is "gitcon~"; ""
// for all others.
func shortened(name string) string {
	i := strings.IndexByte(name, '~')
	if i < 1 || i > 6 || i+1 >= len(name) || name[i+1] < '1' || name[i+1] > '9' {
		return ""
	}
	return name[:i+1] + name[i+2:]
}

// dropInvisible removes the characters ignored by file systems without case: joiners, directional
// marks, variation selectors.
func dropInvisible(s string) string {
	if plainLower(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u034f' {
			return -1
		}
		return r
	}, s)
}

// foldLoosely folds a path as Fold does, and further to the equal names of another file system:
// without invisible characters, nor the dots and blanks at the end of a name. It is for deny rules,
// too.
func foldLoosely(p string) string {
	segments := strings.Split(dropInvisible(p), "/")
	for i, name := range segments {
		if bare := strings.TrimRight(name, ". "); bare != "" {
			segments[i] = bare
		}
	}
	return Fold(strings.Join(segments, "/"))
}
