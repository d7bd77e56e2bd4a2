// Package shellword writes words for commands that a person copies into a shell.
package shellword

import "strings"

// Quote writes a text so that a POSIX shell takes it as one word, whatever it holds; a
// word that needs no quotes gets them too.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
