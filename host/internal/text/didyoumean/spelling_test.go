package didyoumean_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

func TestHint(t *testing.T) {
	profiles := []string{"standard", "open", "locked"}
	for _, tt := range []struct {
		word  string
		names []string
		want  string
	}{
		{"standart", profiles, ": did you mean standard?"},
		{"opne", append([]string{"mine"}, profiles...), ": did you mean open?"},
		{"OPEN", profiles, ": did you mean open?"},
		{"lockd", profiles, ": did you mean locked?"},
		{"guarded", profiles, ": want one of locked, open, standard"},
		{"", profiles, ": want one of locked, open, standard"},
		{"open", nil, ""},
		{"caar", []string{"cart", "caar"}, ": did you mean caar?"},
		{strings.Repeat("x", 100), []string{strings.Repeat("x", 99)}, ": want one of " + strings.Repeat("x", 99)},
	} {
		if got := didyoumean.Hint(tt.word, tt.names); got != tt.want {
			t.Errorf("%.20q: got %q, want %q", tt.word, got, tt.want)
		}
	}
}

// A name is nearest to itself, and each result is one of the names.
func TestNearestIsOneOfThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringMatching(`[a-z_]{1,39}`)).Draw(t, "names")
		word := rapid.StringMatching(`[a-z_]{1,39}`).Draw(t, "word")
		got := didyoumean.Nearest(word, names)
		found := got == ""
		for _, n := range names {
			found = found || n == got
			if n == word && got != word {
				t.Fatalf("%q is one of them, got %q", word, got)
			}
		}
		if !found {
			t.Fatalf("%q is none of %q", got, names)
		}
	})
}
