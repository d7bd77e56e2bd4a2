package config

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Discord is the Discord server where asks are shown as cards and answered, and how
// it is reached. It holds from the next start on, and a change of it only when it is
// accepted.
type Discord struct {
	// TokenFile holds the bot's token, alone and readable by the daemon's account alone;
	// absolute or ~/.... Left out: the environment variable CALLGATE_DISCORD_TOKEN.
	TokenFile string `yaml:"token_file"`
	// Server is the id of the Discord server. Its roles are the ones that count.
	Server Snowflake `yaml:"server"`
	// APIURL is where Discord's API is, or a server of its shape: https, or http on this
	// machine's loopback. Built in: Discord's own.
	APIURL string `yaml:"api_url"`
	// Reactions lets the bot put the three reactions that answer under each card; those
	// of people always count. Built in: false, the card has buttons.
	Reactions bool `yaml:"reactions"`
	// Gateway keeps a connection open on which everything comes in; without it clicks and
	// commands come in at interactions, and reactions and replies not at all. Built in:
	// true.
	Gateway *bool `yaml:"gateway"`
	// Interactions is where Discord posts clicks and commands, by way of a proxy with TLS.
	Interactions DiscordInteractions `yaml:"interactions"`
}

// DiscordInteractions is an endpoint that Discord posts clicks and commands to.
type DiscordInteractions struct {
	// Listen is a loopback address with port that the proxy passes requests on to.
	Listen string `yaml:"listen"`
	// PublicKey is the application's public key, 64 hex digits, that Discord signs with.
	PublicKey string `yaml:"public_key"`
}

// String tells where the endpoint listens, for the list of what waits to be accepted.
func (i DiscordInteractions) String() string {
	if i.Listen == "" {
		return ""
	}
	return i.Listen + ", signed with " + i.PublicKey
}

// Enabled reports whether asks are shown in Discord at all.
func (d Discord) Enabled() bool { return d.Server != "" }

// UsesGateway reports whether a connection to Discord is kept open.
func (d Discord) UsesGateway() bool { return d.Gateway == nil || *d.Gateway }

// DiscordRoute is where an agent's asks are shown in Discord. Keys that an agent leaves
// out are those of defaults; {} takes them all away.
type DiscordRoute struct {
	// Channel is the id of the text channel where cards are posted.
	Channel Snowflake `yaml:"channel"`
	// Threads is where in the channel: none, or session for a thread of its own for each
	// session. Built in: none.
	Threads string `yaml:"threads"`
	// DirectMessages are people, by name, who get each card as a direct message, too.
	DirectMessages []string `yaml:"direct_messages"`
	// MentionRoles are the ids of roles that each card pings. Built in: none.
	MentionRoles []Snowflake `yaml:"mention_roles"`
	// Escalate says who is told besides when nobody answers.
	Escalate *DiscordEscalation `yaml:"escalate"`
}

// DiscordEscalation is who is told of an ask that nobody has answered for a while.
type DiscordEscalation struct {
	// After is how long nobody has answered, less than the ask waits, such as 30s.
	After Duration `yaml:"after"`
	// Channel is the id of a second channel where the card is posted. Left out: the ping
	// goes to where the card is.
	Channel Snowflake `yaml:"channel"`
	// MentionRoles are the ids of roles that are pinged.
	MentionRoles []Snowflake `yaml:"mention_roles"`
	// DirectMessages are people, by name, who get the card as a direct message.
	DirectMessages []string `yaml:"direct_messages"`
}

// The words for Threads.
const (
	ThreadsNone    = "none"
	ThreadsSession = "session"
)

// Shown reports whether cards are posted anywhere by this route.
func (r DiscordRoute) Shown() bool { return r.Channel != "" || len(r.DirectMessages) > 0 }

// zero tells that nothing is said, which takes everything away.
func (r DiscordRoute) zero() bool {
	return r.Channel == "" && r.Threads == "" && r.DirectMessages == nil && r.MentionRoles == nil && r.Escalate == nil
}

// discordOf is an agent's route; none when it or defaults take it away.
func (c *Config) discordOf(own Settings) DiscordRoute {
	var out DiscordRoute
	if d := c.Defaults.Discord; d != nil {
		out = *d
	}
	if o := own.Discord; o != nil {
		if o.zero() {
			return DiscordRoute{}
		}
		out.Channel, out.Threads = cmp.Or(o.Channel, out.Channel), cmp.Or(o.Threads, out.Threads)
		out.DirectMessages = firstList(o.DirectMessages, out.DirectMessages)
		out.MentionRoles = firstList(o.MentionRoles, out.MentionRoles)
		out.Escalate = cmp.Or(o.Escalate, out.Escalate)
	}
	if out.Shown() {
		out.Threads = cmp.Or(out.Threads, ThreadsNone)
	}
	return out.clone()
}

func (r DiscordRoute) clone() DiscordRoute {
	r.DirectMessages, r.MentionRoles = slices.Clone(r.DirectMessages), slices.Clone(r.MentionRoles)
	if r.Escalate != nil {
		e := *r.Escalate
		e.DirectMessages, e.MentionRoles = slices.Clone(e.DirectMessages), slices.Clone(e.MentionRoles)
		r.Escalate = &e
	}
	return r
}

// String tells where cards go, for the list of what waits to be accepted.
func (r DiscordRoute) String() string {
	var parts []string
	add := func(what, value string) {
		if value != "" {
			parts = append(parts, what+" "+value)
		}
	}
	add("channel", string(r.Channel))
	if r.Threads == ThreadsSession {
		add("with", "a thread for each session")
	}
	add("direct messages to", strings.Join(r.DirectMessages, ", "))
	add("pings", idsText(r.MentionRoles))
	if e := r.Escalate; e != nil {
		add("after", time.Duration(e.After).String())
		add("channel", string(e.Channel))
		add("direct messages to", strings.Join(e.DirectMessages, ", "))
		add("pings", idsText(e.MentionRoles))
	}
	return strings.Join(parts, ", ")
}

func idsText(ids []Snowflake) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, ", ")
}

// DiscordSettings is the Discord server, and how it is reached.
func (c *Config) DiscordSettings() Discord { return c.Discord }

// DiscordSettings is what was accepted: a change of who sees calls and answers them
// tightens nothing.
func (c *Combination) DiscordSettings() Discord { return c.accepted.Discord }
