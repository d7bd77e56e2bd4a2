package setup_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// The ids of the fake's server.
const (
	server  = "300000000000000001"
	channel = "400000000000000001"
	botID   = "100000000000000002"
	appID   = "100000000000000001"
	ann     = "200000000000000001"
	botRole = "500000000000000001"
	ops     = "500000000000000002"
	key     = "aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11aa11"
)

// discord is a Discord with canned answers. Its server has a private channel, open to the bot
// by its role's overwrite.
type discord struct {
	me       *discordgo.User
	app      map[string]any
	guild    *discordgo.Guild
	channels map[string]*discordgo.Channel
	members  map[string]*discordgo.Member
	commands []*discordgo.ApplicationCommand
	// fails are errors by call; posted and deleted are message ids.
	fails           map[string]error
	posted, deleted []string
}

func newDiscord() *discord {
	return &discord{
		me:  &discordgo.User{ID: botID, Username: "gatekeeper", Bot: true},
		app: map[string]any{"id": appID, "name": "Gatekeeper", "verify_key": key, "bot_public": false, "flags": 0},
		guild: &discordgo.Guild{ID: server, Name: "Home", OwnerID: "200000000000000009", Roles: []*discordgo.Role{
			{ID: server, Name: "@everyone", Permissions: discordgo.PermissionViewChannel | discordgo.PermissionSendMessages},
			{ID: botRole, Name: "Gatekeeper", Managed: true, Permissions: setup.Invited()},
			{ID: ops, Name: "ops", Mentionable: true},
		}},
		channels: map[string]*discordgo.Channel{channel: {ID: channel, GuildID: server, Name: "approvals", PermissionOverwrites: []*discordgo.PermissionOverwrite{
			{ID: server, Type: discordgo.PermissionOverwriteTypeRole, Deny: discordgo.PermissionViewChannel},
			{ID: botRole, Type: discordgo.PermissionOverwriteTypeRole, Allow: discordgo.PermissionViewChannel},
		}}},
		members: map[string]*discordgo.Member{
			botID: {User: &discordgo.User{ID: botID, Bot: true}, Roles: []string{botRole}},
			ann:   {User: &discordgo.User{ID: ann, Username: "ann99"}, Nick: "Ann"},
		},
		commands: []*discordgo.ApplicationCommand{{Name: "asks"}, {Name: "clear"}},
		fails:    map[string]error{},
	}
}

var errGone = &link.Error{What: "look", Status: 404, Code: 10003, Message: "Unknown Channel"}

func told[T any](v *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, errGone
	}
	return v, nil
}

func (d *discord) Do(_ context.Context, r link.Request, out any) error {
	if r.Method != "GET" || r.Path != "/applications/@me" {
		return errors.New("the fake knows no " + r.Method + " " + r.Path)
	}
	if err := d.fails["application"]; err != nil {
		return err
	}
	text, err := json.Marshal(d.app)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (d *discord) Me(context.Context) (*discordgo.User, error) { return told(d.me, d.fails["me"]) }

func (d *discord) Guild(_ context.Context, id string) (*discordgo.Guild, error) {
	if id != d.guild.ID {
		return nil, errGone
	}
	return told(d.guild, d.fails["guild"])
}

func (d *discord) Channel(_ context.Context, id string) (*discordgo.Channel, error) {
	return told(d.channels[id], d.fails["channel"])
}

func (d *discord) Member(_ context.Context, _, user string) (*discordgo.Member, error) {
	return told(d.members[user], d.fails["member "+user])
}

func (d *discord) Commands(context.Context, string, string) ([]*discordgo.ApplicationCommand, error) {
	return d.commands, d.fails["commands"]
}

func (d *discord) Post(_ context.Context, channel string, m message.Message) (*discordgo.Message, error) {
	if err := d.fails["post"]; err != nil {
		return nil, err
	}
	d.posted = append(d.posted, m.Content)
	return &discordgo.Message{ID: "600000000000000001", ChannelID: channel}, nil
}

func (d *discord) Delete(_ context.Context, _, id string) error {
	d.deleted = append(d.deleted, id)
	return d.fails["delete"]
}

// bot is the bot's own member, role one of the server's, here the channel.
func (d *discord) bot() *discordgo.Member     { return d.members[botID] }
func (d *discord) role(i int) *discordgo.Role { return d.guild.Roles[i] }
func (d *discord) here() *discordgo.Channel   { return d.channels[channel] }

// wanted matches the fake's server.
func wanted() setup.Wanted {
	return setup.Wanted{
		Server: server, Gateway: true,
		Channels: []setup.Channel{{ID: channel, Where: []string{"defaults.discord.channel"}}},
		Mentions: []setup.Mention{{Role: ops, Channel: channel, Where: "defaults.discord.mention_roles"}},
		Roles:    []setup.Role{{Name: "ops"}},
		People:   []setup.Person{{Name: "ann", Account: ann}},
		Commands: []*discordgo.ApplicationCommand{{Name: "asks"}, {Name: "clear"}},
		TestCard: message.Message{Content: "a test"},
		Now:      time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC),
	}
}

// find returns the worst finding of a check.
func find(t *testing.T, r setup.Report, check string) finding.Finding {
	t.Helper()
	rank := map[finding.State]int{finding.Passed: 1, finding.Skipped: 2, finding.Warning: 3, finding.Error: 4}
	var worst finding.Finding
	for _, f := range r.Findings {
		if f.Check == check && rank[f.State] > rank[worst.State] {
			worst = f
		}
	}
	if worst.Check == "" {
		t.Fatalf("no finding %s in %+v", check, r.Findings)
	}
	return worst
}

// without returns a copy of an application's members with others in place.
func (d *discord) with(members map[string]any) {
	d.app = maps.Clone(d.app)
	maps.Copy(d.app, members)
}
