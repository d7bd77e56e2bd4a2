package discordtest_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// redirect sends Discord's requests to the server instead.
type redirect struct{ to *url.URL }

func (r redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host, req.Host = r.to.Scheme, r.to.Host, r.to.Host
	return http.DefaultTransport.RoundTrip(req)
}

// client is a discordgo session for the server.
func client(t *testing.T, s *discordtest.Server) *discordgo.Session {
	t.Helper()
	dg, err := discordgo.New("Bot " + s.Token)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	dg.Client = &http.Client{Transport: redirect{to}}
	dg.ShouldReconnectOnError = false
	return dg
}

// connect opens the gateway.
func connect(t *testing.T, s *discordtest.Server, intents discordgo.Intent) *discordgo.Session {
	t.Helper()
	dg := client(t, s)
	dg.Identify.Intents = intents
	if err := dg.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dg.Close() })
	return dg
}

// within gives a test a long time: CI is busy.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

const usual = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsGuildMessageReactions |
	discordgo.IntentsDirectMessages | discordgo.IntentsDirectMessageReactions

func card() *discordgo.MessageSend {
	return &discordgo.MessageSend{
		Content:         "rm -rf node_modules?",
		AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
		Components: []discordgo.MessageComponent{
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Label: "Approve", Style: discordgo.SuccessButton, CustomID: "a"},
				discordgo.Button{Label: "Deny", Style: discordgo.DangerButton, CustomID: "d"},
				discordgo.Button{Label: "Off", Style: discordgo.SecondaryButton, CustomID: "o", Disabled: true},
			}},
			discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "m", Placeholder: "Allow a pattern",
					Options: []discordgo.SelectMenuOption{{Label: "once", Value: "1"}, {Label: "always", Value: "2"}}},
			}},
		},
	}
}

// A bot's usual actions: posts a card, is clicked, edits the card.
func TestClick(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	dg := connect(t, s, usual)
	dg.AddHandler(func(dg *discordgo.Session, i *discordgo.InteractionCreate) {
		err := dg.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseUpdateMessage,
			Data: &discordgo.InteractionResponseData{Content: "approved by " + i.Member.User.Username,
				Embeds: []*discordgo.MessageEmbed{}, Components: []discordgo.MessageComponent{}},
		})
		if err != nil {
			t.Errorf("respond: %v", err)
		}
	})
	alice := s.Person("alice")
	m, err := dg.ChannelMessageSendComplex(s.Channel, card())
	if err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"Off", "Unlock"} {
		if _, err := alice.Click(within(t), m.ID, absent); err == nil {
			t.Errorf("clicked %s", absent)
		}
	}
	seen, err := alice.Click(within(t), m.ID, "Approve")
	if err != nil {
		t.Fatal(err)
	}
	if seen.Answer != discordtest.AnswerUpdate || seen.Message.Content != "approved by alice" || len(seen.Message.Components) != 0 {
		t.Errorf("alice sees %+v", seen)
	}
}
