package discordtest

import (
	"encoding/json"
	"time"
)

// world is the content of this Discord. All of it is guarded by Server.mu.
type world struct {
	users    map[string]*User
	guilds   map[string]*guild
	channels map[string]*channel
	messages map[string]*Message
	commands []*command
}

// User is an account.
type User struct {
	ID, Name string
	Bot      bool
	noDMs    bool
}

type guild struct {
	id, name, owner string
	roles           []*role // the first is @everyone, with the guild's id
	members         map[string]*member
}

type role struct {
	id, name    string
	permissions int64
	mentionable bool
}

type member struct {
	nick  string
	roles []string
}

// The kinds of channels here.
const (
	textChannel  = 0
	directly     = 1
	publicThread = 11
)

type channel struct {
	id, guild, name, parent, owner string
	kind                           int
	slow                           int      // seconds between two messages of one
	recipients                     []string // of a direct channel, the bot first
	overwrites                     []overwrite
	archived, locked               bool
	messages                       []string // ids, oldest first
	last                           map[string]time.Time
}

type overwrite struct {
	id          string
	user        bool
	allow, deny int64
}

// Message is one as it is, or was when it went. Readers must not change the content of its
// slices.
type Message struct {
	ID, ChannelID, GuildID string
	Author                 User
	Content                string
	Components             []Component
	Embeds                 []json.RawMessage
	Attachments            []Attachment
	Flags                  int
	Reactions              []Reaction
	// ReplyTo is the message answered by this one.
	ReplyTo string
	// For is who sees an ephemeral message; empty when everybody in the channel does.
	For string
	// Interaction is the one answered or followed by this message.
	Interaction string
	// Pings are those who were notified when it was posted.
	Pings Pings
	// Deleted means: it is gone; Edits is how often it was changed.
	Deleted bool
	Edits   int

	order          int64
	mentions       mentions
	nonce          any
	posted, edited time.Time
	loading        bool
	webhook        bool
}

// Attachment is a file attached to a message.
type Attachment struct {
	ID, Name, Type string
	Data           []byte
}

// Reaction is an emoji at a message and who put it there.
type Reaction struct {
	Emoji string
	Users []string
}

// Pings are who was notified by a message.
type Pings struct {
	Everyone     bool
	Users, Roles []string
}

func newWorld() world {
	return world{
		users: map[string]*User{}, guilds: map[string]*guild{},
		channels: map[string]*channel{}, messages: map[string]*Message{},
	}
}
