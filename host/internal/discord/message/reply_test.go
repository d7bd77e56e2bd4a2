package message_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

var replies = []struct {
	text string
	want message.Reply
	ok   bool
}{
	{"y", message.Reply{Verdict: ask.Approve}, true},
	{"Yes!", message.Reply{Verdict: ask.Approve}, true},
	{"  APPROVE. ", message.Reply{Verdict: ask.Approve}, true},
	{"**yes**", message.Reply{Verdict: ask.Approve}, true},
	{"yes k3m9qd", message.Reply{Verdict: ask.Approve, AskID: "k3m9qd"}, true},
	{"k3m9qd yes", message.Reply{Verdict: ask.Approve, AskID: "k3m9qd"}, true},
	{"K3M-9QD: yes", message.Reply{Verdict: ask.Approve, AskID: "k3m9qd"}, true},
	{"yes k3m9qd.", message.Reply{Verdict: ask.Approve, AskID: "k3m9qd"}, true},
	{"<@123456789012345678> yes", message.Reply{Verdict: ask.Approve}, true},
	{"<@!123> no", message.Reply{Verdict: ask.Deny}, true},
	{"n", message.Reply{}, true},
	{"No, use make build", message.Reply{Reason: "use make build"}, true},
	{"deny\nuse make\nbuild ", message.Reply{Reason: "use make\nbuild"}, true},
	{"no k3m9qd use make", message.Reply{Reason: "use make", AskID: "k3m9qd"}, true},
	{"no thanks", message.Reply{Reason: "thanks"}, true},
	{"no abcdef is wrong", message.Reply{Reason: "abcdef is wrong"}, true},
	{"abcdef no", message.Reply{AskID: "abcdef"}, true},
	// An approval says nothing else.
	{"yes but only once", message.Reply{}, false},
	{"yes, if you must", message.Reply{}, false},
	{"k3m9qd yes k3m9qd", message.Reply{}, false},
	{"yes k3m9qd k3m9qd", message.Reply{}, false},
	{"yes\nno", message.Reply{}, false},
	{"y n", message.Reply{}, false},
	// Nothing is guessed.
	{"", message.Reply{}, false},
	{"ok", message.Reply{}, false},
	{"sure", message.Reply{}, false},
	{"nope", message.Reply{}, false},
	{"yess", message.Reply{}, false},
	{"yes/no", message.Reply{}, false},
	{"I say yes", message.Reply{}, false},
	{"why?", message.Reply{}, false},
	{"k3m9qd", message.Reply{}, false},
	{"<@1> <@2> yes", message.Reply{}, false},
	{"<@&123> yes", message.Reply{}, false},
	{"y\u0435s", message.Reply{}, false}, // a Cyrillic letter
	{"y\u200bes", message.Reply{}, false},
	{"\u202eyes", message.Reply{}, false},
	{"YE\u017f", message.Reply{}, false}, // a long s: it folds to s
	{"\xffyes", message.Reply{}, false},
	{"✅", message.Reply{}, false},
	{"toString no", message.Reply{}, false},
}

func TestReadReply(t *testing.T) {
	t.Parallel()
	for _, tt := range replies {
		if got, ok := message.ReadReply(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %+v, %v, want %+v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzReadReply(f *testing.F) {
	for _, tt := range replies {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := message.ReadReply(text)
		switch {
		case !ok && r != (message.Reply{}):
			t.Errorf("%q is not understood, yet gives %+v", text, r)
		case ok && r.Verdict == ask.Approve && r.Reason != "":
			t.Errorf("%q approves with a reason: %+v", text, r)
		case ok && r.AskID != "" && ask.NormalID(r.AskID) != r.AskID:
			t.Errorf("%q: the id %q is not as the broker has it", text, r.AskID)
		case ok && r.Verdict == ask.Approve && !approves(text):
			t.Errorf("%q approves without one of the words", text)
		case utf8.ValidString(text) && !utf8.ValidString(r.Reason):
			t.Errorf("%q: the reason %+q is cut in a character", text, r.Reason)
		}
	})
}

// approves is a rough second opinion: an approval has one of three words in ASCII.
func approves(text string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if word == "y" || word == "yes" || word == "approve" {
			return true
		}
	}
	return false
}

func TestReadEmoji(t *testing.T) {
	t.Parallel()
	tests := []struct {
		emoji discordgo.Emoji
		want  message.Verb
	}{
		{discordgo.Emoji{Name: "✅"}, message.VerbApprove},
		{discordgo.Emoji{Name: "✅\uFE0F"}, message.VerbApprove},
		{discordgo.Emoji{Name: "❌"}, message.VerbDeny},
		{discordgo.Emoji{Name: "🔓"}, message.VerbSession},
		{discordgo.Emoji{Name: "✅", ID: "123"}, ""},
		{discordgo.Emoji{Name: "✔"}, ""},
		{discordgo.Emoji{Name: "👍"}, ""},
		{discordgo.Emoji{Name: "✅✅"}, ""},
		{discordgo.Emoji{Name: "\uFE0F"}, ""},
		{discordgo.Emoji{}, ""},
	}
	for _, tt := range tests {
		if got, ok := message.ReadEmoji(tt.emoji); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%+v: got %q, %v, want %q", tt.emoji, got, ok, tt.want)
		}
	}
}
