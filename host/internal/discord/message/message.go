// Package message lays an ask out as a Discord message, and reads people's answers in one: it
// is pure, and the only place with Discord's text layout and limits.
//
// Text controlled by an agent or a module only ever stands in code, inline or fenced, after
// card.Visible or card.Line and without backticks to end it; so it cannot format, link,
// mention, hide or forge anything. Lengths are counted in UTF-16 units. Source: threat T28.
package message

import (
	"strconv"

	"github.com/bwmarrin/discordgo"
)

// The limits of Discord, in UTF-16 units where they bound texts. The fake Discord of the
// tests has its own: see "Why does the fake Discord parse strictly by itself?" in
// RATIONALE.md.
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
	MaxInputHint   = 100 // an input's placeholder
	MaxURL         = 512
	MaxIDs         = 100  // in each list of mentions
	MaxTyped       = 6000 // an option of a slash command
	MaxThreadName  = 100
	MaxNonce       = 25
	MaxFiles       = 10
	MaxFile        = 10 << 20 // bytes, of all files
)

// Message is the content of a post, of an edit, and of the answer to an interaction. Its JSON
// is whole and has only members known to Discord: an edit replaces the content, the components
// and the mentions.
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
	// Attachments are those an edit keeps: nil, everything, and Files besides.
	Attachments []Attachment `json:"attachments,omitzero"`
}

// Attachment names one of a message's Files by its place among them.
type Attachment struct {
	ID   string `json:"id"`
	Name string `json:"filename"`
}

// Instead returns the message as an edit that replaces all attachments by these files.
func (m Message) Instead(files []File) Message {
	m.Files, m.Attachments = files, make([]Attachment, len(files))
	for i, f := range files {
		m.Attachments[i] = Attachment{ID: strconv.Itoa(i), Name: f.Name}
	}
	return m
}

// Mentions are the pings: only roles and users, by their ids.
type Mentions struct {
	// Parse is always empty and never null.
	Parse []string `json:"parse"`
	Roles []string `json:"roles,omitempty"`
	Users []string `json:"users,omitempty"`
}

// File is an attachment.
type File struct {
	Name string
	Type string // such as "text/plain; charset=utf-8"
	Data []byte
}

// Modal is a form in answer to an interaction.
type Modal struct {
	CustomID   string                       `json:"custom_id"`
	Title      string                       `json:"title"`
	Components []discordgo.MessageComponent `json:"components"`
}
