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
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(s))))
}

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
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if i := strings.IndexByte(name, ':'); i > 0 {
		name = name[:i]
	}
	name = Fold(strings.TrimRight(name, ". "))
	if name == "git~1" {
		return ".git"
	}
	return name
}
