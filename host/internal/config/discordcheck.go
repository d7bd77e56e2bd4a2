package config

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// discord checks how Discord is reached, and where each agent's asks go.
func (ck *checker) discord(c *Config) {
	d := &c.Discord
	ck.path(&d.TokenFile, "discord.token_file")
	if _, given := ck.places["discord"]; given && !d.Enabled() {
		ck.add("discord.server", "missing: want the ID of the Discord server; to find it: callgate discord setup")
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
		ck.add("discord", "no agent's asks are shown there; add discord: {channel: ID} to defaults or to an agent")
	}
}

// checkAPIURL refuses an unsafe receiver of the bot's token.
func checkAPIURL(address string) error {
	if address == "" {
		return nil
	}
	if err := CheckEndpoint(address); err != nil {
		return err
	}
	if u, err := url.Parse(address); err != nil || u.RawQuery != "" || u.ForceQuery {
		return fmt.Errorf("it contains a ?query; remove it, because paths are appended")
	}
	return nil
}

func (ck *checker) interactions(d *Discord) {
	const field = "discord.interactions"
	i := &d.Interactions
	switch {
	case i.Listen == "" && i.PublicKey == "":
		if !d.UsesGateway() {
			ck.add("discord.gateway", "false, but interactions is not set, so answers cannot arrive; set interactions.listen and interactions.public_key, or keep the gateway on")
		}
		return
	case i.Listen == "":
		ck.add(field+".listen", "missing: want the loopback address with port to which the proxy forwards Discord's requests, such as 127.0.0.1:8465")
	case i.PublicKey == "":
		ck.add(field+".public_key", "missing: want the application's public key (64 hex digits), from its page in Discord's developer portal")
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
		ck.add(field+".public_key", "%.70q is not a key; want the 64 hex digits of the application's public key", i.PublicKey)
	}
	if d.Reactions && !d.UsesGateway() {
		ck.add("discord.reactions", "true, but without the gateway reactions do not arrive; keep the gateway on, or remove reactions")
	}
}

// accounts refuses one account for two people.
func (ck *checker) accounts(c *Config) {
	owner := map[Snowflake]string{}
	for _, name := range sortedKeys(c.People) {
		id := c.People[name].Discord
		if id == "" {
			continue
		}
		field := "people." + name + ".discord"
		if other := owner[id]; other != "" {
			ck.add(field, "%s is also the account of %s; an account belongs to one person", id, other)
		}
		owner[id] = name
		if _, there := c.People[string(id)]; there {
			ck.add("people."+string(id), "this is the ID of %s's Discord account; move this entry to %s", name, name)
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
		ck.add(field+".threads", "unknown value %q: want %s or %s%s", r.Threads, ThreadsNone, ThreadsSession, didyoumean.Hint(r.Threads, []string{ThreadsNone, ThreadsSession}))
	}
	ck.reached(c, r.DirectMessages, field+".direct_messages")
	ck.pinged(r.MentionRoles, field+".mention_roles")
	ck.escalation(c, own, field+".escalate")
	defaults := strings.HasPrefix(field, "defaults.")
	switch {
	case r.zero():
	case !c.Discord.Enabled():
		ck.add(field, "cards are configured, but no Discord server; add discord: {server: ID} at the top of the file")
	case !shown.Shown() && !defaults:
		ck.add(field+".channel", "missing: want the ID of the text channel for cards, here or in defaults, or direct_messages")
	case shown.Threads == ThreadsSession && shown.Channel == "":
		ck.add(field+".threads", "threads need a channel; set channel, here or in defaults")
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
		ck.add(field, "no recipients; set channel, mention_roles or direct_messages")
	case e.After == 0:
		ck.add(field+".after", "missing: want how long an ask waits before escalation, such as 30s")
	case time.Duration(e.After) >= limit:
		ck.add(field+".after", "%v: the ask ends earlier, after %v; use less, or raise timeout", time.Duration(e.After), limit)
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
			ck.add(at, "duplicate %s; keep one", name)
		case !there:
			ck.add(at, "%.60q is not in people (add it there, with the Discord account)%s", name, didyoumean.Hint(name, sortedKeys(c.People)))
		case c.People[name].Discord == "":
			ck.add(at, "people.%s has no discord; add the ID of their account there", name)
		}
	}
}

func (ck *checker) pinged(roles []Snowflake, field string) {
	if len(roles) > maxPings {
		ck.add(field, "%d roles: want at most %d", len(roles), maxPings)
	}
	for i, id := range roles {
		if slices.Contains(roles[:i], id) {
			ck.add(fmt.Sprintf("%s[%d]", field, i), "duplicate %s; keep one", id)
		}
	}
}
