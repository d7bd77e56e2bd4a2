package setup

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/people"
)

// Wanted is what a configuration wants of Discord.
type Wanted struct {
	// Server is the server's id; without one nothing of the server is looked at.
	Server string
	// Gateway tells that a connection is kept open, PublicKey what signs the requests
	// of the endpoint; empty when there is none.
	Gateway   bool
	PublicKey string
	// Reactions tells that the bot puts reactions under its cards.
	Reactions bool
	// Channels are those where cards are posted, Mentions the roles that are pinged,
	// each once.
	Channels []Channel
	Mentions []Mention
	// Direct are people who get cards as direct messages, by name, each once.
	Direct []string
	// Roles are those by which people may answer or grant, by name or id.
	Roles []Role
	// People are those who have an account.
	People []Person
	// Requesterless are agents whose calls nobody may approve: whoever triggered them may
	// not, and who that is the configuration does not say.
	Requesterless []string
	// Commands are the slash commands that should be there.
	Commands []*discordgo.ApplicationCommand
	// TestCard is posted and deleted again where that is asked for.
	TestCard message.Message
	// Now is the time at which it is looked; zero means time.Now.
	Now time.Time
}

// Channel is a place for cards. Where names the keys that want it.
type Channel struct {
	ID      string
	Where   []string
	Threads bool
}

// Mention is a role that is pinged, in Channel.
type Mention struct{ Role, Channel, Where string }

// Role is one that people may hold. Held tells that the configuration gives it to
// somebody who has an account, whatever the server says.
type Role struct {
	Name string
	Held bool
}

// Person is one of the configuration's people with an account.
type Person struct{ Name, Account string }

// Of is what a configuration wants. Commands and TestCard are the caller's to add.
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

func excludesRequester(p people.Policy) bool {
	return slices.ContainsFunc(p, func(a people.Approvers) bool { return a.ExcludeRequester })
}

// agentNames are the agents of a configuration, after "", which is every other one.
func agentNames(c *config.Config) []string {
	names := []string{""}
	for name := range c.Agents {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// route adds what one agent's route wants.
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
