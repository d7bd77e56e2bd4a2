package message_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/discord/message"
)

var customIDs = []struct {
	text string
	want message.CustomID
}{
	{"g1|i1|k3m9qd|approve", message.CustomID{Instance: "i1", Subject: "k3m9qd", Verb: message.VerbApprove}},
	{"g1|a-B_9|k3m9qd|store|3", message.CustomID{Instance: "a-B_9", Subject: "k3m9qd", Verb: message.VerbStore, Arg: "3"}},
	{"g1|i1|cmd|older|a:b.c", message.CustomID{Instance: "i1", Subject: "cmd", Verb: "older", Arg: "a:b.c"}},
	{"g1|i1|k3m9qd|older", message.CustomID{}},       // a verb of commands
	{"g1|i1|k3m9qd|approve|", message.CustomID{}},    // not how we write it
	{"g1|i1|k3m9qd|approve|a|b", message.CustomID{}}, // one too many
	{"g1|i1|k3m9qd", message.CustomID{}},
	{"g1||k3m9qd|approve", message.CustomID{}},
	{"g1|i1||approve", message.CustomID{}},
	{"g2|i1|k3m9qd|approve", message.CustomID{}},
	{"g1|i1|K3M9QD|approve", message.CustomID{}},
	{"g1|i1|k3m9qd|Approve", message.CustomID{}},
	{"g1|i1|k3m9qd|approve\n", message.CustomID{}},
	{" g1|i1|k3m9qd|approve", message.CustomID{}},
	{"g1|i1|cmd|older|a b", message.CustomID{}},
	{"g1|i1|cmd|older|é", message.CustomID{}},
	{"g1|i1|cmd|older|" + strings.Repeat("x", 81), message.CustomID{}},
	{"g1|" + strings.Repeat("i", 24) + "|cmd|older|" + strings.Repeat("x", 80), message.CustomID{}},
	{"", message.CustomID{}},
	{"pick", message.CustomID{}},
}

func TestParseID(t *testing.T) {
	t.Parallel()
	for _, tt := range customIDs {
		got, err := message.ParseID(tt.text)
		ours := tt.want != message.CustomID{}
		if got != tt.want || ours != (err == nil) || !ours && !errors.Is(err, message.ErrNotOurs) {
			t.Errorf("%q: got %+v, %v, want %+v", tt.text, got, err, tt.want)
		}
		if ours && got.String() != tt.text {
			t.Errorf("%q is written as %q", tt.text, got)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, tt := range customIDs {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := message.ParseID(text)
		if err != nil {
			if id != (message.CustomID{}) {
				t.Errorf("%q: got %+v with %v", text, id, err)
			}
			return
		}
		if id.String() != text || len(text) > message.MaxCustomID {
			t.Errorf("%q is read as %+v, which is written %q", text, id, id)
		}
	})
}
