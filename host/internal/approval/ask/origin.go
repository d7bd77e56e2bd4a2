package ask

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Origin is an answer's place in a chat, for the audit. It adds no rights; votes from one
// account are one vote. Texts are cut to 200 bytes, and unprintable characters become U+FFFD.
type Origin struct {
	// Account is the chat's own id of the person, AccountName their display name, possibly
	// chosen by themselves.
	Account     string `json:"account"`
	AccountName string `json:"account_name,omitempty"`
	// Via is how: button, menu, form, reaction, reply, command.
	Via string `json:"via"`
	// Server, Channel, Message and Interaction are the chat's ids; empty for none.
	Server      string `json:"server,omitempty"`
	Channel     string `json:"channel,omitempty"`
	Message     string `json:"message,omitempty"`
	Interaction string `json:"interaction,omitempty"`
	// Shown is the SHA-256 in hex of the text shown in the chat; empty when unknown.
	Shown string `json:"shown,omitempty"`
	// Latency is the time from the card to the answer; 0 when unknown.
	Latency time.Duration `json:"latency_ns,omitempty"`
}

// clean is a copy safe to store and show.
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
