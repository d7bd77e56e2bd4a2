// Package message lays an ask out as a Discord message, and reads what people say
// with one: it is pure, and the one place that knows how Discord draws text and how
// much of it a message takes.
//
// What an agent or a module controls only ever stands in code, inline or fenced, after
// card.Visible or card.Line and with the backticks taken out that would end it; so it
// cannot format, link, mention, hide or forge anything. Lengths are counted in UTF-16
// units. Source: facts of Discord's API, sections 4 and 7; design section 8; threat T28.
package message

import (
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// The limits of Discord, in UTF-16 units where they bound texts.
const (
	MaxContent     = 2000
	MaxRows        = 5
	MaxButtons     = 5 // in a row
	MaxOptions     = 25
	MaxCustomID    = 100
	MaxLabel       = 80
	MaxOptionText  = 100 // label, value and description, each
	MaxPlaceholder = 150
	MaxModalTitle  = 45
	MaxInputLabel  = 45
	MaxInput       = 4000
	MaxThreadName  = 100
	MaxNonce       = 25
	MaxFile        = 10 << 20 // bytes
)

// Message is what is posted, what an edit makes of a message, and what answers an
// interaction. Its JSON is whole and has no member that Discord does not know: an edit
// replaces the content, the components and the mentions.
type Message struct {
	Content    string                       `json:"content"`
	Components []discordgo.MessageComponent `json:"components"`
	// AllowedMentions is never left out: without it Discord would ping whom a text names.
	AllowedMentions Mentions `json:"allowed_mentions"`
	// Flags: SUPPRESS_EMBEDS on cards, EPHEMERAL on answers to one person.
	Flags     discordgo.MessageFlags      `json:"flags,omitempty"`
	Reference *discordgo.MessageReference `json:"message_reference,omitempty"`
	// Nonce and EnforceNonce keep a retried post from posting twice.
	Nonce        string `json:"nonce,omitempty"`
	EnforceNonce bool   `json:"enforce_nonce,omitempty"`
	// Files are uploaded with the message.
	Files []File `json:"-"`
	// Attachments are what an edit leaves attached: nil, everything, and Files besides.
	Attachments []Attachment `json:"attachments,omitzero"`
}

// Attachment names one of a message's Files by its place among them.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename"`
}

// Instead returns the message as an edit after which these files are attached, and none
// of those that were.
func (m Message) Instead(files []File) Message {
	m.Files, m.Attachments = files, make([]Attachment, len(files))
	for i, f := range files {
		m.Attachments[i] = Attachment{ID: strconv.Itoa(i), Name: f.Name}
	}
	return m
}

// Mentions are who is pinged: nobody but roles and users given by their ids.
type Mentions struct {
	// Parse is always empty and never null.
	Parse []string `json:"parse"`
	Roles []string `json:"roles,omitempty"`
	Users []string `json:"users,omitempty"`
}

// File is one that is attached.
type File struct {
	Name string
	Type string // such as "text/plain; charset=utf-8"
	Data []byte
}

// Modal is a form that answers an interaction.
type Modal struct {
	CustomID   string                       `json:"custom_id"`
	Title      string                       `json:"title"`
	Components []discordgo.MessageComponent `json:"components"`
}
