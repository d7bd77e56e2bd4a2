package setup_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// real is a Discord-shaped server, a client of it, and its requirements.
func real(t *testing.T) (*discordtest.Server, *link.Client, setup.Wanted) {
	t.Helper()
	s := discordtest.Start(t, discordtest.Options{})
	client, err := link.NewClient(link.ClientConfig{Token: s.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // nothing waits in it
	s.SetPortal(discordtest.Portal{VerifyKey: s.PublicKey()})
	ann := s.Person("ann")
	ops := s.AddRole(s.Guild, "ops", 0)
	return s, client, setup.Wanted{
		Server: s.Guild, Gateway: true,
		Channels: []setup.Channel{{ID: s.Channel, Where: []string{"defaults.discord.channel"}, Threads: true}},
		Roles:    []setup.Role{{Name: "ops"}, {Name: ops}},
		People:   []setup.Person{{Name: "ann", Account: ann.ID}},
		TestCard: message.Message{Content: "a test", AllowedMentions: message.Mentions{Parse: []string{}}},
	}
}

// TestServer: over the wire, a sound bot is found sound, and the test card is gone
// afterwards.
func TestServer(t *testing.T) {
	t.Parallel()
	s, client, want := real(t)
	got := setup.Check(t.Context(), client, want, true)
	if got.Worst() != finding.Passed {
		t.Errorf("got %+v, want all ok", got.Findings)
	}
	if got.Bot != s.Bot || got.Application != s.Application || setup.BotID(s.Token) != s.Bot {
		t.Errorf("got bot %s, application %s; by the token %s; want %s, %s", got.Bot, got.Application, setup.BotID(s.Token), s.Bot, s.Application)
	}
	for _, m := range s.As(want.People[0].Account).Messages(s.Channel) {
		if !m.Deleted {
			t.Errorf("left behind: %s", m)
		}
	}
	s.SetPortal(discordtest.Portal{VerifyKey: s.PublicKey(), BotPublic: true, MessageContent: true})
	s.SetChannel(s.Channel, 0, 30)
	got = setup.Check(t.Context(), client, want, false)
	for check, state := range map[string]finding.State{"application": finding.Warning, "intents": finding.Warning, "slow_mode": finding.Warning} {
		if f := find(t, got, check); f.State != state {
			t.Errorf("%s: got %+v, want %s", check, f, state)
		}
	}
}

// TestPermissionsAreTheServers: for any overwrites of a channel, the computed permissions of
// the bot are those enforced by the server.
func TestPermissionsAreTheServers(t *testing.T) {
	t.Parallel()
	s, client, want := real(t)
	bits := []int64{discordgo.PermissionViewChannel, discordgo.PermissionSendMessages, discordgo.PermissionViewChannel | discordgo.PermissionSendMessages, 0}
	holders := []string{s.Guild, s.BotRole, s.Bot, s.AddRole(s.Guild, "other", 0)}
	ctx, may := t.Context(), map[bool]int{}
	api := &remembering{API: client}
	want.People = nil
	rapid.Check(t, func(t *rapid.T) {
		channel := s.AddChannel(s.Guild, "try")
		for _, id := range holders {
			s.Overwrite(channel, id, rapid.SampledFrom(bits).Draw(t, "allow "+id), rapid.SampledFrom(bits).Draw(t, "deny "+id))
		}
		want.Channels = []setup.Channel{{ID: channel}}
		found := setup.Check(ctx, api, want, false).Findings
		able := true
		for _, f := range found {
			if f.Check == "permissions" && f.State == finding.Error || f.Check == "channel" && f.State != finding.Passed {
				able = false
			}
		}
		_, err := client.Post(ctx, channel, want.TestCard)
		if (err == nil) != able {
			t.Fatalf("posting: got %v, and computed %t: %+v", err, able, found)
		}
		may[able]++
		s.DeleteChannel(channel)
	})
	if len(may) != 2 {
		t.Errorf("got %v: want both answers to have come up", may)
	}
}

// remembering asks only once for constant answers: Discord takes 50 requests a second.
type remembering struct {
	setup.API
	me    *discordgo.User
	guild *discordgo.Guild
	bot   *discordgo.Member
}

func (r *remembering) Me(ctx context.Context) (_ *discordgo.User, err error) {
	if r.me == nil {
		r.me, err = r.API.Me(ctx)
	}
	return r.me, err
}

func (r *remembering) Guild(ctx context.Context, id string) (_ *discordgo.Guild, err error) {
	if r.guild == nil {
		r.guild, err = r.API.Guild(ctx, id)
	}
	return r.guild, err
}

func (r *remembering) Member(ctx context.Context, guild, user string) (_ *discordgo.Member, err error) {
	if r.bot == nil {
		r.bot, err = r.API.Member(ctx, guild, user)
	}
	return r.bot, err
}

func (r *remembering) Do(_ context.Context, _ link.Request, out any) error {
	return json.Unmarshal([]byte(`{"id":"100000000000000001"}`), out)
}
