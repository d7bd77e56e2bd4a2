package shellword_test

import (
	"os/exec"
	"testing"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "'": `''\'''`, "$(x)`y`": "'$(x)`y`'"} {
		if got := shellword.Quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("SKIPPED: no sh to read the words: ", err)
	}
	for _, text := range []string{"it's", "'", "$(echo x)`echo y`\\", "a\n  b", "-n x", "\"*?~!#;&|<>"} {
		got, err := exec.CommandContext(t.Context(), sh, "-c", "printf '%s' "+shellword.Quote(text)).Output()
		if err != nil || string(got) != text {
			t.Errorf("sh reads %q as %q, %v", text, got, err)
		}
	}
}
