package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/finding"
)

// The cures that more than one finding has.
const (
	portal     = "https://discord.com/developers/applications"
	resetToken = portal + ", your application, Bot, Reset Token; put the new token alone into the token file (mode 0600)"
)

// application is what Discord tells a bot of its application; discordgo's lacks two
// members. Source: Discord's documentation, "Application object".
type application struct {
	ID                  string `json:"id"`
	Name                string `json:"name"`
	Flags               int64  `json:"flags"`
	VerifyKey           string `json:"verify_key"`
	BotPublic           bool   `json:"bot_public"`
	BotRequireCodeGrant bool   `json:"bot_require_code_grant"`
	InteractionsURL     string `json:"interactions_endpoint_url"`
}

// token tells whether Discord knows the bot's token, and whose it is.
func (x *examination) token(ctx context.Context) bool {
	me, err := x.api.Me(ctx)
	switch {
	case errors.Is(err, link.ErrUnauthorized):
		x.add(finding.Bad, "token", "Discord does not know this token: it was reset, or is not a bot's", resetToken)
	case err != nil:
		x.failed("token", "the bot's account", err, resetToken)
	case me == nil || !me.Bot:
		x.add(finding.Bad, "token", "the token is not a bot's: an account of a person may not be used by a program", resetToken)
	default:
		x.Bot, x.Name = me.ID, me.Username
		x.ok("token", "Discord knows it; the bot is %s (%s)", me.Username, me.ID)
		return true
	}
	return false
}

// application looks at the application that the bot is of.
func (x *examination) application(ctx context.Context) bool {
	r := link.Request{Method: "GET", Path: "/applications/@me", What: "look at the bot's application", Repeatable: true}
	if err := x.api.Do(ctx, r, &x.app); err != nil {
		x.failed("application", "the bot's application", err, resetToken)
		return false
	}
	if !config.IsSnowflake(x.app.ID) {
		x.add(finding.Bad, "application", "Discord did not tell the application's id", "run it again")
		return false
	}
	x.Application, x.Invite = x.app.ID, Invite(x.app.ID, x.want.Server)
	x.ok("application", "%s (%s)", x.app.Name, x.app.ID)
	if x.app.BotRequireCodeGrant {
		x.add(finding.Bad, "application", "it wants a code grant, so that the invite link does not work", portal+", your application, Bot: switch off \"Requires OAuth2 Code Grant\"")
	}
	if x.app.BotPublic {
		x.add(finding.Warn, "application", "the bot is public: anybody may add it to a server of theirs, which gives them nothing here but clutters it", portal+", your application, Installation: set Install Link to None; then Bot: switch off \"Public Bot\"")
	}
	x.intents()
	return true
}

// privileged are the application's flags for intents that Discord gives on request.
// Source: Discord's documentation, "Application Flags".
var privileged = []Permission{
	{1<<12 | 1<<13, "Presence", ""}, {1<<14 | 1<<15, "Server Members", ""}, {1<<18 | 1<<19, "Message Content", ""},
}

// intents tells which privileged intents are on: none is needed.
func (x *examination) intents() {
	if on := names(privileged, x.app.Flags); on != "" {
		x.add(finding.Warn, "intents", "Callgate needs no privileged intent, and these are on: "+on+"; whoever has the token could read more than cards and answers", portal+", your application, Bot, Privileged Gateway Intents: switch them off, unless another program uses the bot")
		return
	}
	x.ok("intents", "no privileged intent is needed, and none is on")
}

// answers tells whether clicks and commands can come in: by the gateway, unless the
// application names an address to post them to; then there alone.
func (x *examination) answers() {
	page := portal + ", your application, General Information"
	switch key := x.want.PublicKey; {
	case key != "" && !strings.EqualFold(key, x.app.VerifyKey):
		x.add(finding.Bad, "answers", "interactions.public_key is not the application's: every click would be refused", "copy the Public Key from "+page)
	case key != "" && x.app.InteractionsURL == "" && x.want.Gateway:
		x.add(finding.Warn, "answers", "the application names no Interactions Endpoint URL, so clicks come in by the gateway and the endpoint is not used", page+": enter the address of your proxy (Callgate must be running), or take interactions: out of the configuration")
	case key != "" && x.app.InteractionsURL == "":
		x.add(finding.Bad, "answers", "the application names no Interactions Endpoint URL, and there is no gateway: no click comes in", page+": enter the address of your proxy (Callgate must be running)")
	case key == "" && x.app.InteractionsURL != "":
		x.add(finding.Bad, "answers", "the application has Discord post clicks to "+x.app.InteractionsURL+", so that none comes in here", page+": empty Interactions Endpoint URL, or set interactions: in the configuration")
	case key == "" && !x.want.Gateway:
		x.add(finding.Bad, "answers", "there is neither gateway nor interactions endpoint: no click comes in", "take gateway: false out of the configuration, or set interactions:")
	case key != "" && !x.want.Gateway:
		x.ok("answers", "clicks and commands come in at %s; reactions and replies do not come in without the gateway", x.app.InteractionsURL)
	case key != "":
		x.ok("answers", "clicks and commands come in at %s, reactions and replies by the gateway", x.app.InteractionsURL)
	default:
		x.ok("answers", "everything comes in by the gateway")
	}
}

// registered tells whether the slash commands are there.
func (x *examination) registered(ctx context.Context) {
	if len(x.want.Commands) == 0 {
		return
	}
	there, err := x.api.Commands(ctx, x.app.ID, x.want.Server)
	if err != nil {
		x.failed("commands", "the slash commands", err, "invite the bot again: "+x.Invite)
		return
	}
	var known, missing []string
	for _, c := range there {
		known = append(known, c.Name)
	}
	for _, c := range x.want.Commands {
		if !slices.Contains(known, c.Name) {
			missing = append(missing, "/"+c.Name)
		}
	}
	if len(missing) > 0 {
		x.add(finding.Warn, "commands", fmt.Sprintf("%s: not registered yet", strings.Join(missing, ", ")), "callgate serve registers them when it has connected")
		return
	}
	x.ok("commands", "all %d slash commands are registered", len(x.want.Commands))
}
