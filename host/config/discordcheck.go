package config

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/spelling"
)

// discord checks how Discord is reached, and where each agent's asks go.
func (ck *checker) discord(c *Config) {
	d := &c.Discord
	ck.path(&d.TokenFile, "discord.token_file")
	if _, given := ck.places["discord"]; given && !d.Enabled() {
		ck.add("discord.server", "missing: write the id of the Discord server whose channels and roles are meant; `callgate discord setup` helps to find it")
	}
	if err := checkAPIURL(d.APIURL); err != nil {
		ck.add("discord.api_url", "%v", err)
	}
	ck.interactions(d)
	ck.accounts(c)
	shown := ck.route(c, c.Defaults, "defaults")
	for _, name := range sortedKeys(c.Agents) {
		shown = ck.route(c, c.Agents[name].Settings, "agents."+name) || shown
	}
	if d.Enabled() && !shown {
		ck.add("discord", "no agent's asks are shown there: write discord: {channel: ID} in defaults or in an agent's block")
	}
}

// checkAPIURL refuses a place that the bot's token must not be sent to.
func checkAPIURL(address string) error {
	if address == "" {
		return nil
	}
	if err := CheckEndpoint(address); err != nil {
		return err
	}
	if u, err := url.Parse(address); err != nil || u.RawQuery != "" || u.ForceQuery {
		return fmt.Errorf("it holds a ?query: paths are added to it, so leave it out")
	}
	return nil
}

func (ck *checker) interactions(d *Discord) {
	const field = "discord.interactions"
	i := &d.Interactions
	switch {
	case i.Listen == "" && i.PublicKey == "":
		if !d.UsesGateway() {
			ck.add("discord.gateway", "false, and interactions is not set: nobody could answer; set interactions.listen and interactions.public_key, or leave the gateway on")
		}
		return
	case i.Listen == "":
		ck.add(field+".listen", "missing: a loopback address with port that the proxy passes Discord's requests on to, such as 127.0.0.1:8465")
	case i.PublicKey == "":
		ck.add(field+".public_key", "missing: the application's public key, 64 hex digits, from its page in Discord's developer portal")
	}
	if i.Listen != "" {
		address, err := loopback(i.Listen)
		if err != nil {
			ck.add(field+".listen", "%q: want a loopback address with port, such as 127.0.0.1:8465", i.Listen)
		} else {
			i.Listen = netip.MustParseAddrPort(address).String()
		}
	}
	if key, err := hex.DecodeString(i.PublicKey); i.PublicKey != "" && (err != nil || len(key) != 32) {
		ck.add(field+".public_key", "%.70q is no key: want the 64 hex digits of the application's public key", i.PublicKey)
	}
	if d.Reactions && !d.UsesGateway() {
		ck.add("discord.reactions", "true, and without the gateway reactions do not come in: leave the gateway on, or reactions out")
	}
}

// accounts refuses an account that would stand for two people.
func (ck *checker) accounts(c *Config) {
	owner := map[Snowflake]string{}
	for _, name := range sortedKeys(c.People) {
		id := c.People[name].Discord
		if id == "" {
			continue
		}
		field := "people." + name + ".discord"
		if other := owner[id]; other != "" {
			ck.add(field, "%s is the account of %s as well: one account is one person", id, other)
		}
		owner[id] = name
		if _, there := c.People[string(id)]; there {
			ck.add("people."+string(id), "it is the id of %s's Discord account: write what it says under %s", name, name)
		}
	}
}

// maxPings bounds how many roles or people one card goes to.
const maxPings = 20

// route checks where the asks of an agent, or of all, go; it reports whether they go
// anywhere.
func (ck *checker) route(c *Config, own Settings, field string) bool {
	shown := c.discordOf(own)
	if own.Discord == nil {
		return shown.Shown()
	}
	field += ".discord"
	r := own.Discord
	if !slices.Contains([]string{"", ThreadsNone, ThreadsSession}, r.Threads) {
		ck.add(field+".threads", "unknown value %q: want %s or %s%s", r.Threads, ThreadsNone, ThreadsSession, spelling.Hint(r.Threads, []string{ThreadsNone, ThreadsSession}))
	}
	ck.reached(c, r.DirectMessages, field+".direct_messages")
	ck.pinged(r.MentionRoles, field+".mention_roles")
	ck.escalation(c, own, field+".escalate")
	defaults := strings.HasPrefix(field, "defaults.")
	switch {
	case r.zero():
	case !c.Discord.Enabled():
		ck.add(field, "it says where cards go, and no Discord server is set: write discord: {server: ID} at the top of the file")
	case !shown.Shown() && !defaults:
		ck.add(field+".channel", "missing: the id of the text channel where cards are posted, here or in defaults, or direct_messages")
	case shown.Threads == ThreadsSession && shown.Channel == "":
		ck.add(field+".threads", "a thread for each session needs a channel: write channel, here or in defaults")
	}
	return shown.Shown()
}

func (ck *checker) escalation(c *Config, own Settings, field string) {
	e := own.Discord.Escalate
	if e == nil {
		return
	}
	ck.reached(c, e.DirectMessages, field+".direct_messages")
	ck.pinged(e.MentionRoles, field+".mention_roles")
	limit := own.Timeout.or(Duration(c.Defaults.Timeout.or(Duration(c.Asks.Timeout.or(defaultTimeout)))))
	switch {
	case e.Channel == "" && len(e.MentionRoles)+len(e.DirectMessages) == 0:
		ck.add(field, "it tells nobody: write channel, mention_roles or direct_messages")
	case e.After == 0:
		ck.add(field+".after", "missing: how long nobody has answered, such as 30s")
	case time.Duration(e.After) >= limit:
		ck.add(field+".after", "%v: an ask has ended by then, after %v; want less, or raise timeout", time.Duration(e.After), limit)
	}
}

// reached checks people who get direct messages: names with an account.
func (ck *checker) reached(c *Config, names []string, field string) {
	if len(names) > maxPings {
		ck.add(field, "%d people: want at most %d", len(names), maxPings)
	}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", field, i)
		_, there := c.People[name]
		switch {
		case slices.Contains(names[:i], name):
			ck.add(at, "%s is given twice: keep one", name)
		case !there:
			ck.add(at, "%.60q is none of people%s: write them there, with their Discord account", name, spelling.Hint(name, sortedKeys(c.People)))
		case c.People[name].Discord == "":
			ck.add(at, "people.%s has no discord: write the id of their account there", name)
		}
	}
}

func (ck *checker) pinged(roles []Snowflake, field string) {
	if len(roles) > maxPings {
		ck.add(field, "%d roles: want at most %d", len(roles), maxPings)
	}
	for i, id := range roles {
		if slices.Contains(roles[:i], id) {
			ck.add(fmt.Sprintf("%s[%d]", field, i), "%s is given twice: keep one", id)
		}
	}
}
