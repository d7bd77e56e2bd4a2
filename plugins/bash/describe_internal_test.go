package bash

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// TestWebSlashes compares webSlashes with its regular expression.
func TestWebSlashes(t *testing.T) {
	t.Parallel()
	want := regexp.MustCompile(`(?i)(^|=)(https?|ftps?|wss?):/+`)
	word := rapid.Map(rapid.SliceOf(rapid.SampledFrom([]string{"http", "HTTPS", "https", "ftp", "ws", "wss", ":", ":/", "://", "/", "=", "x", "evil.com"})), func(parts []string) (out string) {
		for _, part := range parts {
			out += part
		}
		return out
	})
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		s := word.Draw(t, "word")
		out, found := webSlashes(s)
		if text := want.ReplaceAllString(s, "$1$2://"); out != text || found != want.MatchString(s) {
			t.Fatalf("%q: got %q, %v, want %q", s, out, found, text)
		}
		if found {
			hits++
		}
	})
	if hits == 0 {
		t.Error("no word was an address: the test says nothing")
	}
}
