// Package shellword quotes words of commands for a person to copy into a shell.
package shellword

import "strings"

// Quote quotes any text so that a POSIX shell takes it as one word; a plain word gets quotes
// too.
func Quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
