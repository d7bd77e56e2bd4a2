package ask

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Origin is where in a chat an answer was given, for the audit. It gives nobody more
// rights; votes from one account are one vote. Texts are cut to 200 bytes, and what cannot
// be printed becomes U+FFFD.
type Origin struct {
	// Account is the chat's own id of who answered, AccountName what it shows for them,
	// which they may choose themselves.
	Account     string `json:"account"`
	AccountName string `json:"account_name,omitempty"`
	// Via is how: button, menu, form, reaction, reply, command.
	Via string `json:"via"`
	// Server, Channel, Message and Interaction are the chat's ids; empty for none.
	Server      string `json:"server,omitempty"`
	Channel     string `json:"channel,omitempty"`
	Message     string `json:"message,omitempty"`
	Interaction string `json:"interaction,omitempty"`
	// Shown is the SHA-256 in hex of the text that the chat showed; empty when that is
	// not known.
	Shown string `json:"shown,omitempty"`
	// Latency is how long after the card was there the answer came in; 0 when that is not
	// known.
	Latency time.Duration `json:"latency_ns,omitempty"`
}

// clean is a copy that can be stored and shown.
func (o *Origin) clean() *Origin {
	if o == nil {
		return nil
	}
	c := *o
	for _, p := range []*string{&c.Account, &c.AccountName, &c.Via, &c.Server, &c.Channel, &c.Message, &c.Interaction, &c.Shown} {
		*p = printable(*p)
	}
	return &c
}

func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}

// Evidence tells who answered, and where and how, as one line for the audit; the
// empty text without an Origin.
func (a Answer) Evidence() string {
	o := a.Origin.clean()
	if o == nil {
		return ""
	}
	parts := []string{"by " + o.Via, fmt.Sprintf("account %s %q", o.Account, o.AccountName)}
	roles := "no roles"
	if len(a.Roles) > 0 {
		roles = fmt.Sprintf("roles %q", a.Roles)
	}
	if a.Administrator {
		roles += ", administrator"
	}
	parts = append(parts, roles)
	for _, id := range []struct{ name, value string }{
		{"server", o.Server}, {"channel", o.Channel}, {"message", o.Message}, {"interaction", o.Interaction}, {"shown sha256", o.Shown},
	} {
		if id.value != "" {
			parts = append(parts, id.name+" "+id.value)
		}
	}
	return strings.Join(parts, "; ")
}
