package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/config"
)

// TestDiscord_refused: each mistake is reported with its place and its fix.
func TestDiscord_refused(t *testing.T) {
	t.Parallel()
	const people = "people: {ann: {discord: 212345678901234567}, bob: {}}\n"
	withDefaults := func(route string) string {
		return people + "discord: {server: 312345678901234567}\ndefaults: {discord: {channel: 412345678901234567}}\nagents: {a: {discord: " + route + "}}\n"
	}
	server := func(more string) string { return people + inDiscord(more) }
	for _, tc := range []struct{ name, text, want string }{
		{"all of it", withDefaults("{channel: '412345678901234568', threads: session, direct_messages: [ann], mention_roles: [512345678901234567], escalate: {after: 59s, direct_messages: [ann]}}"), ""},
		{"an id as text", people + "discord: {server: '312345678901234567'}\ndefaults: {discord: {direct_messages: [ann]}}\n", ""},
		{"no server", "discord: {token_file: /t}\ndefaults: {discord: {channel: 412345678901234567}}\n", "discord.server: missing"},
		{"no server at all", "defaults: {discord: {channel: 412345678901234567}}\n", "defaults.discord: cards are configured, but no Discord server; add discord"},
		{"no channel", "discord: {server: 312345678901234567}\n", "discord: no agent's asks are shown there"},
		{"an id that is a name", "discord: {server: my-server}\n", `discord.server: "my-server" is not a Discord ID; want 15 to 20 digits`},
		{"an id that is too short", server("") + "agents: {a: {discord: {channel: 4123}}}\n", `agents.a.discord.channel: "4123" is not a Discord ID`},
		{"an id that is too long", "discord: {server: '312345678901234567890'}\n", "is not a Discord ID"},
		{"an id beyond 64 bits", "discord: {server: '99999999999999999999'}\n", "is not a Discord ID"},
		{"an id with a nought before it", "discord: {server: '0312345678901234567'}\n", "is not a Discord ID"},
		{"an id with a sign", "discord: {server: '+312345678901234567'}\n", "is not a Discord ID"},
		{"an id below zero", "discord: {server: -312345678901234567}\n", "is not a Discord ID"},
		{"a mention for an id", withDefaults("{mention_roles: ['<@&512345678901234567>']}"), "agents.a.discord.mention_roles[0]"},
		{"a role twice", withDefaults("{mention_roles: [512345678901234567, 512345678901234567]}"), "agents.a.discord.mention_roles[1]: duplicate 512345678901234567; keep"},
		{"many roles", withDefaults("{mention_roles: [" + strings.Repeat("512345678901234567, ", 20) + "512345678901234568]}"), "21 roles: want at most 20"},
		{"an unknown person", withDefaults("{direct_messages: [anne]}"), `agents.a.discord.direct_messages[0]: "anne" is not in people (add it there, with the Discord account): did you mean ann?`},
		{"a person without an account", withDefaults("{direct_messages: [bob]}"), "agents.a.discord.direct_messages[0]: people.bob has no discord"},
		{"a person twice", withDefaults("{direct_messages: [ann, ann]}"), "duplicate ann"},
		{"threads", withDefaults("{threads: sessions}"), `agents.a.discord.threads: unknown value "sessions": want none or session: did you mean session?`},
		{"threads without a channel", people + "discord: {server: 312345678901234567}\nagents: {a: {discord: {direct_messages: [ann], threads: session}}}\n", "agents.a.discord.threads: threads need a channel; set channel, here"},
		{"a route to nobody", "discord: {server: 312345678901234567}\nagents: {a: {discord: {threads: none}}, b: {discord: {channel: 412345678901234567}}}\n", "agents.a.discord.channel: missing"},
		{"defaults that only add", people + "discord: {server: 312345678901234567}\ndefaults: {discord: {threads: none, mention_roles: [512345678901234567]}}\nagents: {a: {discord: {channel: 412345678901234567}}}\n", ""},
		{"an agent that takes it away", withDefaults("{}"), ""},
		{"an escalation to nobody", withDefaults("{escalate: {after: 30s}}"), "agents.a.discord.escalate: no recipients; set"},
		{"an escalation at no time", withDefaults("{escalate: {mention_roles: [512345678901234567]}}"), "agents.a.discord.escalate.after: missing"},
		{"an escalation that comes too late", withDefaults("{escalate: {after: 60s, mention_roles: [512345678901234567]}}"), "agents.a.discord.escalate.after: 1m0s: the ask ends earlier, after 1m0s; use"},
		{"an escalation within a longer time", strings.Replace(withDefaults("{escalate: {after: 60s, mention_roles: [512345678901234567]}}"), "defaults: {", "defaults: {timeout: 5m, ", 1), ""},
		{"an escalation to an unknown person", withDefaults("{escalate: {after: 30s, direct_messages: [cy]}}"), "agents.a.discord.escalate.direct_messages[0]"},
		{"plain http", server("api_url: 'http://discord.example'"), "discord.api_url: discord.example: is not on this machine"},
		{"plain http on loopback", server("api_url: 'http://127.0.0.1:8080'"), ""},
		{"a user in the address", server("api_url: 'https://a:b@discord.com'"), "discord.api_url: it contains a user or a password"},
		{"a fragment", server("api_url: 'https://discord.com/#x'"), "discord.api_url: it contains a #fragment"},
		{"a query", server("api_url: 'https://discord.com/?x=1'"), "discord.api_url: it contains a ?query"},
		{"an empty query", server("api_url: 'https://discord.com/?'"), "discord.api_url: it contains a ?query"},
		{"a token file", server("token_file: t"), "discord.token_file: path \"t\": want an absolute path"},
		{"the token itself", server("token: abc"), "discord.token: unknown key: want one of api_url"},
		{"interactions", server(endpoint), ""},
		{"interactions without a key", server("interactions: {listen: '127.0.0.1:81'}"), "discord.interactions.public_key: missing"},
		{"interactions without a place", server("interactions: {public_key: " + publicKey + "}"), "discord.interactions.listen: missing"},
		{"interactions for everybody", server("interactions: {listen: '0.0.0.0:81', public_key: " + publicKey + "}"), `discord.interactions.listen: "0.0.0.0:81": want a loopback address`},
		{"interactions at a socket", server("interactions: {listen: /run/x.sock, public_key: " + publicKey + "}"), "want a loopback address"},
		{"a short key", server("interactions: {listen: '127.0.0.1:81', public_key: abcd}"), "discord.interactions.public_key"},
		{"a key that is none", server("interactions: {listen: '127.0.0.1:81', public_key: " + strings.Repeat("zz", 32) + "}"), "is not a key; want the 64 hex digits"},
		{"no way in", server("gateway: false"), "discord.gateway: false, but interactions is not set"},
		{"the endpoint alone", server(endpoint + ", gateway: false"), ""},
		{"reactions without the gateway", server(endpoint + ", gateway: false, reactions: true"), "discord.reactions: true, but without the gateway"},
		{"one account for two", "people: {ann: {discord: 212345678901234567}, bob: {discord: '212345678901234567'}}\n", "people.bob.discord: 212345678901234567 is also the account of ann; an"},
		{"an account that is a name", "people: {ann: {discord: 212345678901234567}, '212345678901234567': {}}\n", "people.212345678901234567: this is the ID of ann's Discord account"},
		{"an account that is none", "people: {ann: {discord: ann#1}}\n", "people.ann.discord"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("callgate.yaml", []byte(tc.text), config.Dirs{Home: "/home/dev"})
			if (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "callgate.yaml:") || strings.HasPrefix(err.Error(), "callgate.yaml: ")) {
				t.Errorf("got %v, want its place and %q", err, tc.want)
			}
		})
	}
}

// TestDiscord_routes: an agent's own keys come before those of defaults, {} removes all, and an
// absent one has its built-in value.
func TestDiscord_routes(t *testing.T) {
	t.Parallel()
	c := parse(t, `
people: {ann: {discord: 212345678901234567}}
discord: {server: 312345678901234567, token_file: ~/t}
defaults:
  discord: {channel: 412345678901234567, direct_messages: [ann], mention_roles: [512345678901234567]}
agents:
  own: {discord: {channel: 412345678901234568, threads: session, direct_messages: [], escalate: {after: 9s, channel: 412345678901234569}}}
  none: {discord: {}}
`)
	d := c.DiscordSettings()
	if !d.Enabled() || !d.UsesGateway() || d.TokenFile != "/home/dev/t" || !slices.Contains(c.SecretFiles(), d.TokenFile) {
		t.Errorf("got %+v, secret files %v", d, c.SecretFiles())
	}
	for agent, want := range map[string]string{
		"other": "412345678901234567 none [ann] [512345678901234567] after ",
		"own":   "412345678901234568 session [] [512345678901234567] after 9s 412345678901234569",
		"none":  "",
	} {
		got := c.Agent(agent).Discord
		var text string
		if got.Shown() {
			text = fmt.Sprint(got.Channel, " ", got.Threads, " ", got.DirectMessages, " ", got.MentionRoles, " after ")
		}
		if e := got.Escalate; e != nil {
			text += fmt.Sprint(time.Duration(e.After), " ", e.Channel)
		}
		if text != want || got.Shown() != (want != "") || got.Shown() && got.Threads == "" {
			t.Errorf("%s: got %q (%+v), want %q", agent, text, got, want)
		}
	}
	if config.Default(config.Dirs{Home: "/h"}).DiscordSettings().Enabled() {
		t.Error("without a file Discord is on")
	}
}

// TestDiscord_waits: a changed file's part about Discord holds when it is accepted, and the
// accepted one holds until then, also for removals.
func TestDiscord_waits(t *testing.T) {
	t.Parallel()
	was := parse(t, "people: {ann: {discord: 212345678901234567, roles: [r, s]}}\n"+inDiscord("")+"permission_grants: {r: [open]}\n")
	for name, text := range map[string]string{
		"another":  "people: {bob: {discord: 212345678901234567, roles: [r]}, ann: {roles: [r]}}\ndiscord: {server: 312345678901234568}\ndefaults: {discord: {channel: 412345678901234568}}\npermission_grants: {s: [open]}\n",
		"no more":  "people: {ann: {roles: [r]}}\n",
		"the same": "people: {ann: {discord: 212345678901234567, roles: [r]}}\n" + inDiscord("") + "permission_grants: {r: [open], t: []}\n",
	} {
		both, waiting := was.Tighten(parse(t, text))
		if got := both.DiscordSettings(); got.Server != "312345678901234567" {
			t.Errorf("%s: got server %s", name, got.Server)
		}
		if got := both.Agent("any").Discord.Channel; got != "412345678901234567" {
			t.Errorf("%s: got channel %s", name, got)
		}
		p, listed := both.DiscordPerson("212345678901234567")
		if p.Name != "ann" || !listed || !slices.Equal(p.Roles, []string{"r"}) || both.DiscordAccount("ann") != "212345678901234567" || both.DiscordAccount("bob") != "" {
			t.Errorf("%s: got %+v, %t", name, p, listed)
		}
		if waits := len(waiting) > 0; waits != (name != "the same") {
			t.Errorf("%s: got %+v", name, waiting)
		}
		if roles := both.KnownRoles(); len(waiting) > 0 && len(roles) > 0 && !slices.Equal(roles, []string{"r"}) {
			t.Errorf("%s: got roles %v, want those of both", name, roles)
		}
	}
}

// TestKnownRoles: each place with a role's name counts.
func TestKnownRoles(t *testing.T) {
	t.Parallel()
	c := parse(t, `
permission_grants: {a: [open], b: []}
defaults: {ask_approvers: {roles: [c], safety_checks: {roles: [d]}}, tools: {Bash: {ask_approvers: {roles: [e, a]}}}}
tools: {Bash: {ask_approvers: {roles: [f]}}}
agents: {x: {ask_approvers: {roles: [g]}, tools: {Bash: {ask_approvers: {safety_checks: {roles: [h]}}}}}}
people: {ann: {roles: [not-known]}}
`)
	if got := strings.Join(c.KnownRoles(), " "); got != "a b c d e f g h" {
		t.Errorf("got %s", got)
	}
}

// TestSafetyApprovers: safety checks have those of the most particular place with such, on top
// of those of all asks; a place about them alone changes no others.
func TestSafetyApprovers(t *testing.T) {
	t.Parallel()
	c := parse(t, `
defaults: {ask_approvers: {roles: [dev], safety_checks: {roles: [admin], quorum: 2}}}
tools: {Bash: {ask_approvers: {roles: [ops]}}, Write: {ask_approvers: {safety_checks: {users: [cy]}}}, Read: {ask_approvers: {safety_checks: {}}}}
agents: {a: {ask_approvers: {quorum: 3}}}
`)
	for _, tt := range []struct{ agent, tool, all, safety string }{
		{"", "Edit", "the role dev", "the role dev; the role admin; 2 have to approve"},
		{"", "Bash", "the role ops", "the role ops; the role admin; 2 have to approve"},
		{"", "Write", "the role dev", "the role dev; cy"},
		{"", "Read", "the role dev", "the role dev"},
		{"a", "Edit", "3 have to approve", "the role admin; 3 have to approve"},
	} {
		if got := c.Approvers(tt.agent, tt.tool).String(); got != tt.all {
			t.Errorf("%s, %s: got %q, want %q", tt.agent, tt.tool, got, tt.all)
		}
		if got := c.SafetyApprovers(tt.agent, tt.tool).String(); got != tt.safety {
			t.Errorf("%s, %s, safety checks: got %q, want %q", tt.agent, tt.tool, got, tt.safety)
		}
	}
}

// TestPerson_byAccount: for any accounts in two configurations, a person has one name, under
// any of theirs, and never more roles than both give.
func TestPerson_byAccount(t *testing.T) {
	t.Parallel()
	ids := []string{"212345678901234567", "212345678901234568"}
	drawn := func(r *rapid.T, label string) *config.Config {
		text := "people:\n"
		free := slices.Clone(ids)
		for _, name := range []string{"ann", "bob"} {
			text += "  " + name + ": {roles: [" + rapid.SampledFrom([]string{"", "r", "r, s"}).Draw(r, label+name) + "]"
			if i := rapid.IntRange(0, len(free)).Draw(r, label+name+" account"); i < len(free) {
				text += ", discord: " + free[i]
				free = slices.Delete(free, i, i+1)
			}
			text += "}\n"
		}
		c, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/h"})
		if err != nil {
			r.Fatalf("%s\n%v", text, err)
		}
		return c
	}
	rapid.Check(t, func(r *rapid.T) {
		was, will := drawn(r, "was"), drawn(r, "will")
		both, _ := was.Tighten(will)
		id := rapid.SampledFrom(append([]string{"ann", "212345678901234569", ""}, ids...)).Draw(r, "id")
		p := both.Person(id)
		if again := both.Person(p.Name); again.Name != p.Name || p.Name != was.Person(id).Name {
			r.Fatalf("%s is %s, who is %s; accepted %s", id, p.Name, again.Name, was.Person(id).Name)
		}
		for _, role := range p.Roles {
			if !slices.Contains(was.Person(p.Name).Roles, role) || !slices.Contains(will.Person(p.Name).Roles, role) {
				r.Fatalf("%s has the role %s, which not both give", p.Name, role)
			}
		}
		if by, listed := both.DiscordPerson(id); by.Name != p.Name || listed != (id != p.Name) || listed && both.DiscordAccount(by.Name) != id {
			r.Fatalf("%s: got %+v, %t", id, by, listed)
		}
	})
}

// TestEscalation_inTime: an escalation comes before the ask's end, by any place for its waiting
// time.
func TestEscalation_inTime(t *testing.T) {
	t.Parallel()
	c := parse(t, inDiscord("")+"asks: {timeout: 10m}\nagents: {a: {discord: {escalate: {after: 9m, channel: 412345678901234569}}}}\n")
	if a := c.Agent("a"); time.Duration(a.Discord.Escalate.After) >= a.Timeout {
		t.Errorf("got %+v, timeout %v", a.Discord.Escalate, a.Timeout)
	}
}
