package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/finding"
)

// Report is what was found, in the order in which it was looked at.
type Report struct {
	// Application and Bot are ids, empty when the token does not tell; Name is the
	// bot's.
	Application string `json:"application,omitempty"`
	Bot         string `json:"bot,omitempty"`
	Name        string `json:"name,omitempty"`
	// Invite adds the bot to a server with the permissions it needs and no other.
	Invite string `json:"invite,omitempty"`
	// Findings are of these checks: token, application, intents, answers, server,
	// commands, channel, permissions, slow_mode, mention_role, approver_role, person,
	// test_card.
	Findings []finding.Finding `json:"findings"`
}

// Worst is the worst state among the findings.
func (r Report) Worst() finding.State { return finding.Worst(r.Findings) }

// Unreached reports whether Discord did not even tell whose the token is, so that
// nothing was looked at.
func (r Report) Unreached() bool {
	return len(r.Findings) > 0 && r.Findings[0].Check == "token" && r.Findings[0].State == finding.Skipped
}

// API is what is asked of Discord. *link.Client is one.
type API interface {
	Do(ctx context.Context, r link.Request, out any) error
	Me(ctx context.Context) (*discordgo.User, error)
	Guild(ctx context.Context, guild string) (*discordgo.Guild, error)
	Channel(ctx context.Context, channel string) (*discordgo.Channel, error)
	Member(ctx context.Context, guild, user string) (*discordgo.Member, error)
	Commands(ctx context.Context, application, guild string) ([]*discordgo.ApplicationCommand, error)
	Post(ctx context.Context, channel string, m message.Message) (*discordgo.Message, error)
	Delete(ctx context.Context, channel, id string) error
}

// examination gathers findings.
type examination struct {
	api  API
	want Wanted
	Report

	app   application
	guild *discordgo.Guild
	bot   *discordgo.Member
	// places are the channels that were found, by id.
	places map[string]*discordgo.Channel
}

// Check looks at everything that want names, in a fixed order. What cannot be looked
// at is a finding as well. With post it posts want.TestCard into each channel and
// deletes it.
func Check(ctx context.Context, api API, want Wanted, post bool) Report {
	x := &examination{api: api, want: want, places: map[string]*discordgo.Channel{}}
	if x.token(ctx) && x.application(ctx) {
		x.answers()
		if x.server(ctx) {
			x.registered(ctx)
			x.channels(ctx)
			x.mentions()
			x.approvers()
			x.people(ctx)
		}
		if post {
			x.testCards(ctx, func(context.Context) {})
		}
	}
	return x.Report
}

// Try posts the test card into each channel that want names, pauses, and deletes it.
func Try(ctx context.Context, api API, want Wanted, pause func(context.Context)) Report {
	x := &examination{api: api, want: want, places: map[string]*discordgo.Channel{}}
	if x.token(ctx) && x.application(ctx) && x.server(ctx) {
		x.channels(ctx)
		x.Findings = slices.DeleteFunc(x.Findings, func(f finding.Finding) bool { return f.State != finding.Bad })
		x.testCards(ctx, pause)
	}
	return x.Report
}

// NoToken is the report where no token can be read from that file, or from the
// environment where it is empty.
func NoToken(file string, err error) Report {
	text, cure := err.Error(), "do that, and run this again"
	if errors.Is(err, fs.ErrNotExist) {
		text = "there is no token: " + file + " is not there, and " + link.TokenVariable + " is not set"
		cure = portal + ", your application (or New Application), Bot, Reset Token; then callgate discord setup --write asks for it in a terminal, or put it alone into that file (mode 0600)"
	}
	return Report{Findings: []finding.Finding{{Check: "token", State: finding.Bad, Text: text, Cure: cure}}}
}

func (x *examination) add(state finding.State, check, text, cure string) {
	x.Findings = append(x.Findings, finding.Finding{Check: check, State: state, Text: text, Cure: cure})
}

func (x *examination) ok(check, format string, args ...any) {
	x.add(finding.OK, check, fmt.Sprintf(format, args...), "")
}

// failed says why Discord did not tell something. missing is the cure where it is not
// there, or the bot may not see it.
func (x *examination) failed(check, what string, err error, missing string) {
	switch {
	case errors.Is(err, link.ErrUnauthorized):
		x.add(finding.Bad, check, what+": "+err.Error(), resetToken)
	case errors.Is(err, link.ErrGone):
		x.add(finding.Bad, check, what+": Discord knows of no such thing, or does not show it to the bot", missing)
	case errors.Is(err, link.ErrForbidden):
		x.add(finding.Bad, check, what+": the bot may not see it", missing)
	default:
		x.add(finding.Skipped, check, what+" could not be looked at: "+err.Error(), "see whether this machine reaches Discord (discord.api_url, else https://discord.com), and run this again")
	}
}
