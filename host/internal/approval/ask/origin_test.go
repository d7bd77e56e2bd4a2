package ask_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// FuzzOrigin: for any names in a chat, the audit's line is one line of printable text, and
// bounded.
func FuzzOrigin(f *testing.F) {
	for _, s := range []string{"", "ann", "a\u202eb", "a\nb", "\xff\xfe", strings.Repeat("ä", 500), "\x1b[31mred", "a\x00b", "\u200b"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, id string) {
		a := ask.Answer{Roles: []string{name}, Origin: &ask.Origin{Account: id, AccountName: name, Via: id, Server: id, Channel: id, Message: id, Interaction: id, Shown: id}}
		got := a.Evidence()
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) && r != utf8.RuneError }) {
			t.Errorf("got %q", got)
		}
		a.Roles = nil
		if got := a.Evidence(); len(got) > 3000 {
			t.Errorf("got %d bytes", len(got))
		}
	})
}

// TestOrigin_isKept: where an answer came from is kept with it, cleaned, and an answer
// from no chat has none.
func TestOrigin_isKept(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		o := &ask.Origin{Account: "1", AccountName: "b\u202eb" + strings.Repeat("ä", 300), Via: "reaction"}
		if _, err := w.answer("a", ask.Answer{By: "bob", Origin: o}); err != nil {
			t.Fatal(err)
		}
		got := w.stored("a").Answer.Origin
		if got == nil || got == o || got.Account != "1" || !strings.HasPrefix(got.AccountName, "b\uFFFDbä") || len(got.AccountName) > 200 || !utf8.ValidString(got.AccountName) {
			t.Errorf("got %+v", got)
		}
		if (ask.Answer{By: "bob"}).Evidence() != "" {
			t.Error("an answer of no chat has evidence of one")
		}
	})
}
