package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// Report are the findings, in the order of the checks.
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

// Unreached reports whether Discord did not even identify the token, so nothing was checked.
func (r Report) Unreached() bool {
	return len(r.Findings) > 0 && r.Findings[0].Check == "token" && r.Findings[0].State == finding.Skipped
}

// API are the calls of Discord. *link.Client is one.
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
	// places are the channels found, by id.
	places map[string]*discordgo.Channel
}

// Check checks everything in want, in a fixed order. A check beyond reach is a finding as well.
// With post it posts want.TestCard into each channel and deletes it.
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

// Try posts the test card into each channel of want, pauses, and deletes it.
func Try(ctx context.Context, api API, want Wanted, pause func(context.Context)) Report {
	x := &examination{api: api, want: want, places: map[string]*discordgo.Channel{}}
	if x.token(ctx) && x.application(ctx) && x.server(ctx) {
		x.channels(ctx)
		x.Findings = slices.DeleteFunc(x.Findings, func(f finding.Finding) bool { return f.State != finding.Error })
		x.testCards(ctx, pause)
	}
	return x.Report
}

// NoToken is the report for an unreadable token in that file, or in the environment where it is
// empty.
func NoToken(file string, err error) Report {
	text, fix := err.Error(), "fix that, and run this command again"
	if errors.Is(err, fs.ErrNotExist) {
		text = "No bot token: " + file + " does not exist, and " + link.TokenVariable + " is not set."
		fix = portal + ", your application (or New Application), Bot, Reset Token. Then run callgate discord setup --write in a terminal, or save only the token in that file (mode 0600)"
	}
	return Report{Findings: []finding.Finding{{Check: "token", State: finding.Error, Text: text, Fix: fix}}}
}

func (x *examination) add(state finding.State, check, text, fix string) {
	x.Findings = append(x.Findings, finding.Finding{Check: check, State: state, Text: text, Fix: fix})
}

func (x *examination) ok(check, format string, args ...any) {
	x.add(finding.Passed, check, fmt.Sprintf(format, args...), "")
}

// failed says why Discord did not tell something. missing is the fix where it is not
// there, or the bot may not see it.
func (x *examination) failed(check, what string, err error, missing string) {
	switch {
	case errors.Is(err, link.ErrUnauthorized):
		x.add(finding.Error, check, what+": "+err.Error(), resetToken)
	case errors.Is(err, link.ErrGone):
		x.add(finding.Error, check, what+": Discord does not know it, or does not show it to the bot.", missing)
	case errors.Is(err, link.ErrForbidden):
		x.add(finding.Error, check, what+": the bot has no access.", missing)
	default:
		x.add(finding.Skipped, check, what+": check failed: "+err.Error(), "check that this machine can reach Discord (discord.api_url, else https://discord.com), and run this command again")
	}
}
