package setup_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// TestSound: where everything is as it should be, nothing is found wrong, and each
// check has said so.
func TestSound(t *testing.T) {
	t.Parallel()
	d := newDiscord()
	got := setup.Check(t.Context(), d, wanted(), true)
	if got.Worst() != finding.Passed {
		t.Errorf("got %+v, want all ok", got.Findings)
	}
	for _, check := range []string{"token", "application", "intents", "answers", "server", "commands", "channel", "permissions", "mention_role", "approver_role", "person", "test_card"} {
		if f := find(t, got, check); f.State != finding.Passed || f.Text == "" {
			t.Errorf("%s: got %+v, want ok with a text", check, f)
		}
	}
	if got.Application != appID || got.Bot != botID || got.Name != "gatekeeper" {
		t.Errorf("got %+v, want the ids and the name", got)
	}
	if len(d.posted) != 1 || len(d.deleted) != 1 {
		t.Errorf("test cards: got %d posted, %d deleted, want one each", len(d.posted), len(d.deleted))
	}
	without := newDiscord()
	setup.Check(t.Context(), without, wanted(), false)
	if len(without.posted) != 0 {
		t.Error("without being asked it posted a card")
	}
}

// TestFaults: each fault is found by its check, and each finding says how to mend it.
func TestFaults(t *testing.T) {
	t.Parallel()
	later := time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
	overwrite := func(d *discord, id string, kind discordgo.PermissionOverwriteType, deny int64) {
		d.here().PermissionOverwrites = append(d.here().PermissionOverwrites, &discordgo.PermissionOverwrite{ID: id, Type: kind, Deny: deny})
	}
	const byMember, byRole = discordgo.PermissionOverwriteTypeMember, discordgo.PermissionOverwriteTypeRole
	cases := map[string]struct {
		spoil func(*discord, *setup.Wanted)
		check string
		state finding.State
		want  string
	}{
		"unknown token":     {func(d *discord, _ *setup.Wanted) { d.fails["me"] = &link.Error{Status: 401} }, "token", finding.Error, "reset"},
		"no answer":         {func(d *discord, _ *setup.Wanted) { d.fails["me"] = &link.Error{Err: context.DeadlineExceeded} }, "token", finding.Skipped, "deadline"},
		"a person":          {func(d *discord, _ *setup.Wanted) { d.me.Bot = false }, "token", finding.Error, "not a bot"},
		"no application":    {func(d *discord, _ *setup.Wanted) { d.fails["application"] = errors.New("odd") }, "application", finding.Skipped, "odd"},
		"no id":             {func(d *discord, _ *setup.Wanted) { d.with(map[string]any{"id": ""}) }, "application", finding.Error, "id"},
		"code grant":        {func(d *discord, _ *setup.Wanted) { d.with(map[string]any{"bot_require_code_grant": true}) }, "application", finding.Error, "Code Grant"},
		"public":            {func(d *discord, _ *setup.Wanted) { d.with(map[string]any{"bot_public": true}) }, "application", finding.Warning, "public"},
		"intents":           {func(d *discord, _ *setup.Wanted) { d.with(map[string]any{"flags": 1<<15 | 1<<18}) }, "intents", finding.Warning, "Server Members, Message Content"},
		"another key":       {func(_ *discord, w *setup.Wanted) { w.PublicKey = strings.Repeat("b", 64) }, "answers", finding.Error, "not the application's"},
		"endpoint unused":   {func(_ *discord, w *setup.Wanted) { w.PublicKey = key }, "answers", finding.Warning, "not used"},
		"no way in by HTTP": {func(_ *discord, w *setup.Wanted) { w.PublicKey, w.Gateway = key, false }, "answers", finding.Error, "clicks do not arrive"},
		"no way in":         {func(_ *discord, w *setup.Wanted) { w.Gateway = false }, "answers", finding.Error, "Both the gateway"},
		"posted elsewhere": {func(d *discord, _ *setup.Wanted) {
			d.with(map[string]any{"interactions_endpoint_url": "https://elsewhere.example/x"})
		}, "answers", finding.Error, "https://elsewhere.example/x"},
		"not invited":          {func(_ *discord, w *setup.Wanted) { w.Server = "300000000000000002" }, "server", finding.Error, "does not show"},
		"no server":            {func(_ *discord, w *setup.Wanted) { w.Server = "" }, "server", finding.Skipped, "No server is configured"},
		"not a member":         {func(d *discord, _ *setup.Wanted) { delete(d.members, botID) }, "server", finding.Error, "membership"},
		"administrator":        {func(d *discord, _ *setup.Wanted) { d.role(1).Permissions = discordgo.PermissionAdministrator }, "server", finding.Warning, "Administrator"},
		"manages roles":        {func(d *discord, _ *setup.Wanted) { d.role(1).Permissions |= discordgo.PermissionManageRoles }, "server", finding.Warning, "Manage Roles"},
		"no channel":           {func(_ *discord, w *setup.Wanted) { w.Channels = nil }, "channel", finding.Error, "No channel is configured"},
		"channel gone":         {func(d *discord, _ *setup.Wanted) { delete(d.channels, channel) }, "channel", finding.Error, "does not know it"},
		"channel hidden":       {func(d *discord, _ *setup.Wanted) { d.fails["channel"] = &link.Error{Status: 403} }, "channel", finding.Error, "has no access"},
		"another server's":     {func(d *discord, _ *setup.Wanted) { d.here().GuildID = "300000000000000007" }, "channel", finding.Error, "another server"},
		"a forum":              {func(d *discord, _ *setup.Wanted) { d.here().Type = discordgo.ChannelTypeGuildForum }, "channel", finding.Error, "a forum"},
		"unknown kind":         {func(d *discord, _ *setup.Wanted) { d.here().Type = 99 }, "channel", finding.Error, "kind 99"},
		"denied to the member": {func(d *discord, _ *setup.Wanted) { overwrite(d, botID, byMember, discordgo.PermissionAttachFiles) }, "permissions", finding.Error, "Attach Files"},
		"denied to its role": {func(d *discord, _ *setup.Wanted) {
			overwrite(d, botRole, byRole, discordgo.PermissionReadMessageHistory)
		}, "permissions", finding.Error, "Read Message History"},
		"hidden from it":      {func(d *discord, _ *setup.Wanted) { d.here().PermissionOverwrites = d.here().PermissionOverwrites[:1] }, "permissions", finding.Error, "View Channel"},
		"in time-out":         {func(d *discord, _ *setup.Wanted) { d.bot().CommunicationDisabledUntil = &later }, "permissions", finding.Error, "Send Messages"},
		"no reactions needed": {func(d *discord, _ *setup.Wanted) { overwrite(d, botID, byMember, discordgo.PermissionAddReactions) }, "permissions", finding.Warning, "does not need"},
		"reactions needed": {func(d *discord, w *setup.Wanted) {
			w.Reactions = true
			overwrite(d, botID, byMember, discordgo.PermissionAddReactions)
		}, "permissions", finding.Error, "Add Reactions"},
		"threads needed": {func(d *discord, w *setup.Wanted) {
			w.Channels[0].Threads = true
			overwrite(d, botID, byMember, discordgo.PermissionCreatePublicThreads)
		}, "permissions", finding.Error, "Create Public Threads"},
		"slow mode":          {func(d *discord, _ *setup.Wanted) { d.here().RateLimitPerUser = 30 }, "slow_mode", finding.Warning, "one card in 30s"},
		"no role to mention": {func(_ *discord, w *setup.Wanted) { w.Mentions[0].Role = "500000000000000077" }, "mention_role", finding.Error, "no role 500000000000000077"},
		"not mentionable":    {func(d *discord, _ *setup.Wanted) { d.role(2).Mentionable = false }, "mention_role", finding.Warning, "cannot be mentioned"},
		"role twice": {func(d *discord, _ *setup.Wanted) {
			d.guild.Roles = append(d.guild.Roles, &discordgo.Role{ID: "500000000000000003", Name: "ops"})
		}, "approver_role", finding.Warning, "2 roles"},
		"no such role":     {func(_ *discord, w *setup.Wanted) { w.Roles[0].Name = "Ops" }, "approver_role", finding.Warning, "no one has it"},
		"everybody's role": {func(_ *discord, w *setup.Wanted) { w.Roles[0].Name = "@everyone" }, "approver_role", finding.Warning, "not a role of the server"},
		"a bot's role":     {func(_ *discord, w *setup.Wanted) { w.Roles[0].Name = "Gatekeeper" }, "approver_role", finding.Warning, "role of a bot"},
		"no requester":     {func(_ *discord, w *setup.Wanted) { w.Requesterless = []string{"builder"} }, "approver_role", finding.Warning, "No one can approve calls of builder"},
		"nobody":           {func(_ *discord, w *setup.Wanted) { w.Roles, w.People = nil, nil }, "approver_role", finding.Warning, "No approvers"},
		"person gone":      {func(d *discord, _ *setup.Wanted) { delete(d.members, ann) }, "person", finding.Error, "people.ann.discord"},
		"a bot as person":  {func(d *discord, _ *setup.Wanted) { d.members[ann].User.Bot = true }, "person", finding.Error, "is a bot"},
		"no command":       {func(d *discord, _ *setup.Wanted) { d.commands = d.commands[:1] }, "commands", finding.Warning, "/clear"},
		"commands hidden":  {func(d *discord, _ *setup.Wanted) { d.fails["commands"] = &link.Error{Status: 403} }, "commands", finding.Error, "has no access"},
		"card not posted":  {func(d *discord, _ *setup.Wanted) { d.fails["post"] = &link.Error{Status: 403, Code: 50013} }, "test_card", finding.Error, "posting"},
		"card not deleted": {func(d *discord, _ *setup.Wanted) { d.fails["delete"] = errors.New("odd") }, "test_card", finding.Skipped, "deleting"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, w := newDiscord(), wanted()
			c.spoil(d, &w)
			f := find(t, setup.Check(t.Context(), d, w, true), c.check)
			if f.State != c.state || !strings.Contains(f.Text, c.want) || f.Fix == "" {
				t.Errorf("got %+v, want %s with %q and a fix", f, c.state, c.want)
			}
		})
	}
}

// Symptom: a person gave the id of the channel for that of the server, and the advice was to
// invite the bot, already there.
func TestFaults_aChannelsIDForTheServers(t *testing.T) {
	t.Parallel()
	w := wanted()
	w.Server = channel
	if f := find(t, setup.Check(t.Context(), newDiscord(), w, false), "server"); f.State != finding.Error || !strings.Contains(f.Fix, "Copy Server ID") || !strings.Contains(f.Fix, "oauth2/authorize") {
		t.Errorf("got %+v, want a fix with the id and the invitation", f)
	}
}

// TestGood: cases near a fault without one.
func TestGood(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*discord, *setup.Wanted)
		check  string
		want   string
	}{
		"by the endpoint": {func(d *discord, w *setup.Wanted) {
			w.PublicKey = strings.ToUpper(key)
			d.with(map[string]any{"interactions_endpoint_url": "https://gate.example/discord"})
		}, "answers", "gate.example"},
		"by the endpoint alone": {func(d *discord, w *setup.Wanted) {
			w.PublicKey, w.Gateway = key, false
			d.with(map[string]any{"interactions_endpoint_url": "https://gate.example/discord"})
		}, "answers", "reactions and replies do not arrive"},
		"the owner": {func(d *discord, _ *setup.Wanted) {
			d.guild.OwnerID, d.bot().Roles, d.here().PermissionOverwrites = botID, nil, d.here().PermissionOverwrites[:1]
		}, "permissions", "all 8"},
		"the member's overwrite over the role's": {func(d *discord, _ *setup.Wanted) {
			d.here().PermissionOverwrites = append(d.here().PermissionOverwrites,
				&discordgo.PermissionOverwrite{ID: botID, Type: discordgo.PermissionOverwriteTypeMember, Allow: discordgo.PermissionAttachFiles},
				&discordgo.PermissionOverwrite{ID: botRole, Type: discordgo.PermissionOverwriteTypeRole, Deny: discordgo.PermissionAttachFiles})
		}, "permissions", "all 8"},
		"another's overwrite": {func(d *discord, _ *setup.Wanted) {
			d.here().PermissionOverwrites = append(d.here().PermissionOverwrites, &discordgo.PermissionOverwrite{ID: ops, Type: discordgo.PermissionOverwriteTypeRole, Deny: -1})
		}, "permissions", "all 8"},
		"open to everybody": {func(d *discord, _ *setup.Wanted) { d.here().PermissionOverwrites = nil }, "channel", "Everyone on the server can read it"},
		"private":           {func(*discord, *setup.Wanted) {}, "channel", "It is private"},
		"a role by its id":  {func(_ *discord, w *setup.Wanted) { w.Roles[0].Name = ops }, "approver_role", ops},
		"a role of people":  {func(_ *discord, w *setup.Wanted) { w.Roles[0] = setup.Role{Name: "lead", Held: true} }, "approver_role", "assigns it to people"},
		"pings everybody": {func(d *discord, _ *setup.Wanted) {
			d.role(2).Mentionable = false
			d.role(1).Permissions |= discordgo.PermissionMentionEveryone
		}, "mention_role", "#approvals"},
		"direct messages alone": {func(_ *discord, w *setup.Wanted) {
			w.Channels, w.Mentions, w.Direct = nil, nil, []string{"ann"}
		}, "channel", "only to ann"},
		"a name shown": {func(*discord, *setup.Wanted) {}, "person", "Ann (ann99)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, w := newDiscord(), wanted()
			c.change(d, &w)
			if f := find(t, setup.Check(t.Context(), d, w, false), c.check); f.State != finding.Passed || !strings.Contains(f.Text, c.want) {
				t.Errorf("got %+v, want ok with %q", f, c.want)
			}
		})
	}
}

// TestInvite: the link asks for the permissions in Callgate's facts, the sum of named bits, and
// for nothing else.
func TestInvite(t *testing.T) {
	t.Parallel()
	if got := setup.Invited(); got != 309237763136 {
		t.Errorf("permissions: got %d, want 309237763136", got)
	}
	u, err := url.Parse(setup.Invite(appID, server))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if u.Scheme != "https" || u.Host != "discord.com" || q.Get("client_id") != appID || q.Get("permissions") != "309237763136" || q.Get("scope") != "bot applications.commands" || q.Get("guild_id") != server {
		t.Errorf("got %s", u)
	}
	if strings.Contains(setup.Invite(appID, ""), "guild_id") {
		t.Error("a link without a server names one")
	}
}

// TestTokens: tokens are distinguished from paths and ids, and name their bot.
func TestTokens(t *testing.T) {
	t.Parallel()
	first := base64.RawURLEncoding.EncodeToString([]byte(botID))
	token := first + ".GabcdE." + strings.Repeat("x_-9", 10)
	for text, want := range map[string]bool{
		token: true, "Bot " + token: true, "--token=" + token: true, "x" + token + "y": true,
		"": false, "/home/ann/.config/callgate/discord.token": false, server: false, "callgate-discord.token.file": false, first: false,
	} {
		if got := setup.HoldsToken(text); got != want {
			t.Errorf("%q: got token %t, want %t", text, got, want)
		}
	}
	for text, want := range map[string]string{token: botID, first + "=.a.b": botID, first: "", "abc.def.ghi": "", "": "", "....": ""} {
		if got := setup.BotID(text); got != want {
			t.Errorf("%q: got the bot %q, want %q", text, got, want)
		}
	}
	other := base64.RawURLEncoding.EncodeToString([]byte(appID)) + ".GabcdE." + strings.Repeat("x", 38)
	for text, want := range map[string]bool{`{"env":{"T":"` + token + `"}}`: true, "A=" + other: false, "A=" + other + "\nB=Bot " + first + ".older." + strings.Repeat("y", 38): true, botID: false} {
		if got := setup.TokenOf(text, botID); got != want {
			t.Errorf("%q: got a token of the bot %t, want %t", text, got, want)
		}
	}
	if setup.TokenOf(token, "") || setup.TokenOf("..", "") {
		t.Error("without a bot, a text holds a token of it")
	}
}

// TestOf: every name in a configuration is wanted, each place and role once, with its keys.
func TestOf(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("callgate.yaml", []byte(`
discord: {server: "300000000000000001", reactions: true, interactions: {listen: "127.0.0.1:8465", public_key: `+key+`}}
defaults:
  discord: {channel: "400000000000000001", mention_roles: ["500000000000000002"]}
  ask_approvers: {roles: [ops, lead], exclude_requester: true}
agents:
  builder:
    user: ann
    discord: {threads: session, direct_messages: [ann], escalate: {after: 30s, channel: "400000000000000002", mention_roles: ["500000000000000002"]}}
  quiet:
    discord: {}
people:
  ann: {discord: "200000000000000001", roles: [lead]}
  bob: {roles: [ops]}
`), config.Dirs{Home: "/h", Config: "/h/c", State: "/h/s", Cache: "/h/k"})
	if err != nil {
		t.Fatal(err)
	}
	got := setup.Of(c)
	want := setup.Wanted{
		Server: server, Gateway: true, PublicKey: key, Reactions: true,
		Channels: []setup.Channel{
			{ID: channel, Where: []string{"defaults.discord.channel", "agents.builder.discord.channel"}, Threads: true},
			{ID: "400000000000000002", Where: []string{"agents.builder.discord.escalate.channel"}},
		},
		Mentions: []setup.Mention{{Role: ops, Channel: channel, Where: "defaults.discord.mention_roles"}, {Role: ops, Channel: "400000000000000002", Where: "agents.builder.discord.escalate.mention_roles"}},
		Direct:   []string{"ann"}, Roles: []setup.Role{{Name: "lead", Held: true}, {Name: "ops"}}, People: []setup.Person{{Name: "ann", Account: ann}},
		Requesterless: []string{"quiet"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestOfNoAgents: a configuration without agents has the one of calls without a name.
func TestOfNoAgents(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("callgate.yaml", []byte("defaults: {ask_approvers: {users: [ann], exclude_requester: true}}\n"), config.Dirs{Home: "/h", Config: "/h/c", State: "/h/s", Cache: "/h/k"})
	if err != nil {
		t.Fatal(err)
	}
	if got := setup.Of(c).Requesterless; !slices.Equal(got, []string{"default"}) {
		t.Errorf("got %q", got)
	}
}

// TestFragment: the configuration reads the choices back, for any names.
func TestFragment(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"", "builder", "a: b"} {
		c := setup.Choice{TokenFile: "/h/s/discord.token", APIURL: "http://127.0.0.1:1", Server: server, Channel: channel, Agent: agent, People: map[string]string{"ann": ann, "yes": botID}}
		got, err := config.Parse("callgate.yaml", []byte(c.Fragment()), config.Dirs{Home: "/h", Config: "/h/c", State: "/h/s", Cache: "/h/k"})
		if err != nil {
			t.Fatalf("%s: %v", c.Fragment(), err)
		}
		d := got.DiscordSettings()
		if string(d.Server) != server || d.TokenFile != c.TokenFile || d.APIURL != c.APIURL || string(got.Agent(agent).Discord.Channel) != channel || got.DiscordAccount("yes") != botID {
			t.Errorf("agent %q: got %+v, %+v", agent, d, got.Agent(agent).Discord)
		}
	}
	if got := (setup.Choice{}).Fragment(); got != "" {
		t.Errorf("nothing chosen: got %q", got)
	}
}
