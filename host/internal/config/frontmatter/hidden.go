package frontmatter

import (
	"fmt"
	"strings"
	"unicode"
)

// unseen are invisible or misleading characters: control and format characters, and blanks other
// than the space.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

// plainKey refuses a key similar to another one.
func plainKey(key string) error {
	if strings.ContainsFunc(key, unseen) {
		return fmt.Errorf("the key %+q holds characters that cannot be seen: write it anew", key)
	}
	return nil
}
