package setup

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// Wanted are a configuration's needs in Discord.
type Wanted struct {
	// Server is the server's id; without one nothing of the server is looked at.
	Server string
	// Gateway means: a connection is kept open. PublicKey verifies the endpoint's requests;
	// empty without one.
	Gateway   bool
	PublicKey string
	// Reactions means: the bot puts reactions under its cards.
	Reactions bool
	// Channels are those for cards, Mentions the roles to ping, each once.
	Channels []Channel
	Mentions []Mention
	// Direct are people who get cards as direct messages, by name, each once.
	Direct []string
	// Roles are those of approvers and granters, by name or id.
	Roles []Role
	// People are those who have an account.
	People []Person
	// Requesterless are agents without possible approvers: only people other than the trigger
	// may approve, and the configuration does not name the trigger.
	Requesterless []string
	// Commands are the wanted slash commands.
	Commands []*discordgo.ApplicationCommand
	// TestCard is posted and deleted again on request.
	TestCard message.Message
	// Now is the time of the check; zero means time.Now.
	Now time.Time
}

// Channel is a place for cards. Where names its keys in the configuration.
type Channel struct {
	ID      string
	Where   []string
	Threads bool
}

// Mention is a role to ping, in Channel.
type Mention struct{ Role, Channel, Where string }

// Role is one for people to hold. Held means: the configuration gives it to a person with an
// account, independent of the server.
type Role struct {
	Name string
	Held bool
}

// Person is one of the configuration's people with an account.
type Person struct{ Name, Account string }

// Of returns the needs of a configuration. The caller adds Commands and TestCard.
func Of(c *config.Config) Wanted {
	d := c.DiscordSettings()
	w := Wanted{Server: string(d.Server), Gateway: d.UsesGateway(), PublicKey: d.Interactions.PublicKey, Reactions: d.Reactions}
	for _, agent := range agentNames(c) {
		where := "agents." + agent + ".discord"
		if agent == "" {
			where = "defaults.discord"
		}
		w.route(c.Agent(agent).Discord, where)
		known := agent != "" || len(c.Agents) == 0 // those without an entry, where there is none
		if known && c.Agent(agent).User == "" && excludesRequester(c.Approvers(agent)) {
			w.Requesterless = append(w.Requesterless, cmp.Or(agent, "default"))
		}
	}
	for name, p := range c.People {
		if p.Discord != "" {
			w.People = append(w.People, Person{name, string(p.Discord)})
		}
	}
	slices.SortFunc(w.People, func(a, b Person) int { return strings.Compare(a.Name, b.Name) })
	for _, role := range c.KnownRoles() {
		w.Roles = append(w.Roles, Role{role, slices.ContainsFunc(w.People, func(p Person) bool { return slices.Contains(c.People[p.Name].Roles, role) })})
	}
	return w
}

func excludesRequester(p approvers.Policy) bool {
	return slices.ContainsFunc(p, func(a approvers.Approvers) bool { return a.ExcludeRequester })
}

// agentNames are the agents of a configuration, after "" for every other one.
func agentNames(c *config.Config) []string {
	names := []string{""}
	for name := range c.Agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// route adds the needs of one agent's route.
func (w *Wanted) route(r config.DiscordRoute, where string) {
	w.channel(string(r.Channel), where+".channel", r.Threads == config.ThreadsSession)
	w.mentions(r.MentionRoles, string(r.Channel), where+".mention_roles")
	w.direct(r.DirectMessages)
	if e := r.Escalate; e != nil {
		w.direct(e.DirectMessages)
		place := string(e.Channel)
		w.channel(place, where+".escalate.channel", false)
		if place == "" {
			place = string(r.Channel)
		}
		w.mentions(e.MentionRoles, place, where+".escalate.mention_roles")
	}
}

func (w *Wanted) direct(names []string) {
	for _, name := range names {
		if !slices.Contains(w.Direct, name) {
			w.Direct = append(w.Direct, name)
		}
	}
}

func (w *Wanted) channel(id, where string, threads bool) {
	if id == "" {
		return
	}
	i := slices.IndexFunc(w.Channels, func(c Channel) bool { return c.ID == id })
	if i < 0 {
		w.Channels, i = append(w.Channels, Channel{ID: id}), len(w.Channels)
	}
	w.Channels[i].Threads = w.Channels[i].Threads || threads
	if !slices.Contains(w.Channels[i].Where, where) {
		w.Channels[i].Where = append(w.Channels[i].Where, where)
	}
}

func (w *Wanted) mentions(roles []config.Snowflake, channel, where string) {
	for _, role := range roles {
		same := func(m Mention) bool { return m.Role == string(role) && m.Channel == channel }
		if !slices.ContainsFunc(w.Mentions, same) {
			w.Mentions = append(w.Mentions, Mention{string(role), channel, where})
		}
	}
}
