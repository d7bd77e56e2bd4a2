package card

import "testing"

func TestPlainWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"npm": true, "a.b": true, "~/x@*%+=#:-": true, "/": true, "-": true, "9_Z": true,
		"": false, ".": false, "a.": false, "a:": false, "a b": false, "a\n": false, "ä": false, "a\"": false, "$x": false, "a\x80": false,
	} {
		if got := plainWord(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
