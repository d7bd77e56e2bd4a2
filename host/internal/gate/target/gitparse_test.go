package target

import (
	"strings"
	"testing"
)

// FuzzGitSettings checks that no text makes the parser hang or panic, and that results are our
// words.
func FuzzGitSettings(f *testing.F) {
	for _, seed := range []string{"[core]\nfsmonitor = x", "[a \"b\\\"]\"] c", "[", "x", "[core]\nx = \"\\", "[a.b]c=d\\\n e", "\ufeff#", "[A]\r\nb\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range gitSettings(text) {
			section, key, _ := strings.Cut(name, ".")
			if name != "unreadable git config" && key != "*" && programKeys[section] == nil {
				t.Errorf("got %q, a word of the file", name)
			}
		}
	})
}
