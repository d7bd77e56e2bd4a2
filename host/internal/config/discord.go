package config

import (
	"cmp"
	"slices"
)

// Discord is the Discord server where asks are shown as cards and answered, and how
// it is reached. It holds from the next start on, and a change of it only when it is
// accepted.
type Discord struct {
	// TokenFile holds the bot's token, alone and readable by the daemon's account alone;
	// absolute or ~/.... Left out: the environment variable CALLGATE_DISCORD_TOKEN.
	TokenFile string `yaml:"token_file"`
	// Server is the id of the Discord server. Only its roles count.
	Server Snowflake `yaml:"server"`
	// APIURL is where Discord's API is, or a server of its shape: https, or http on this
	// machine's loopback. Built in: Discord's own.
	APIURL string `yaml:"api_url"`
	// Reactions makes the bot put the three answering reactions under each card; those of people
	// always count. Built in: false, the card has buttons.
	Reactions bool `yaml:"reactions"`
	// Gateway keeps a connection open for everything from Discord; without it clicks and commands
	// come in at interactions, and reactions and replies not at all. Built in: true.
	Gateway *bool `yaml:"gateway"`
	// Interactions is where Discord posts clicks and commands, by way of a proxy with TLS.
	Interactions DiscordInteractions `yaml:"interactions"`
}

// DiscordInteractions is an endpoint for clicks and commands posted by Discord.
type DiscordInteractions struct {
	// Listen is a loopback address with port, the target of the proxy's requests.
	Listen string `yaml:"listen"`
	// PublicKey is the application's public key for Discord's signatures, 64 hex digits.
	PublicKey string `yaml:"public_key"`
}

// Enabled reports whether asks are shown in Discord at all.
func (d Discord) Enabled() bool { return d.Server != "" }

// UsesGateway reports whether a connection to Discord is kept open.
func (d Discord) UsesGateway() bool { return d.Gateway == nil || *d.Gateway }

// DiscordRoute is the place of an agent's asks in Discord. Missing keys are those of defaults; {}
// removes them all.
type DiscordRoute struct {
	// Channel is the id of the text channel where cards are posted.
	Channel Snowflake `yaml:"channel"`
	// Threads is where in the channel: none, or session for a thread of its own for each
	// session. Built in: none.
	Threads string `yaml:"threads"`
	// DirectMessages are people, by name, who get each card as a direct message, too.
	DirectMessages []string `yaml:"direct_messages"`
	// MentionRoles are the ids of roles pinged by each card. Built in: none.
	MentionRoles []Snowflake `yaml:"mention_roles"`
	// Escalate names further people to notify of an unanswered ask.
	Escalate *DiscordEscalation `yaml:"escalate"`
}

// DiscordEscalation are the further people to notify of an ask left unanswered for a while.
type DiscordEscalation struct {
	// After is the time without an answer, less than the ask waits, such as 30s.
	After Duration `yaml:"after"`
	// Channel is the id of a second channel where the card is posted. Left out: the ping
	// goes to where the card is.
	Channel Snowflake `yaml:"channel"`
	// MentionRoles are the ids of the pinged roles.
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

// zero reports whether nothing is set. Such a route removes everything.
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

// DiscordSettings is the Discord server, and how it is reached.
func (c *Config) DiscordSettings() Discord { return c.Discord }
