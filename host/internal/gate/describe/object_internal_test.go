package describe

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestObject_isWhatMarshalWrites compares the quick way with encoding/json, on each byte and on
// drawn texts.
func TestObject_isWhatMarshalWrites(t *testing.T) {
	texts := []string{"", "/home/p/a b.txt", "https://example.com/*", "\u2028", "é", "a\xffb"}
	for c := range 256 {
		texts = append(texts, string([]byte{byte(c)}), string([]byte{'a', byte(c), 'b'}))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2_000 {
		text := make([]byte, rng.IntN(12))
		for i := range text {
			text[i] = byte(rng.IntN(256))
			if rng.IntN(3) > 0 {
				text[i] = byte(' ' + rng.IntN(96))
			}
		}
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		if got, want := object("file_path", text), marshalled("file_path", text); !bytes.Equal(got, want) {
			t.Errorf("object of %q: got %s, want %s", text, got, want)
		}
	}
}
