package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// The fixes shared by several findings.
const (
	portal     = "https://discord.com/developers/applications"
	resetToken = portal + ", your application, Bot, Reset Token; save only the new token in the token file (mode 0600)"
)

// application is a bot's application according to Discord; discordgo's lacks two members.
// Source: Discord's documentation, "Application object".
type application struct {
	ID                  string `json:"id"`
	Name                string `json:"name"`
	Flags               int64  `json:"flags"`
	VerifyKey           string `json:"verify_key"`
	BotPublic           bool   `json:"bot_public"`
	BotRequireCodeGrant bool   `json:"bot_require_code_grant"`
	InteractionsURL     string `json:"interactions_endpoint_url"`
}

// token checks whether Discord knows the bot's token, and whose it is.
func (x *examination) token(ctx context.Context) bool {
	me, err := x.api.Me(ctx)
	switch {
	case errors.Is(err, link.ErrUnauthorized):
		x.add(finding.Error, "token", "Discord does not know this token: it was reset, or is not a bot token.", resetToken)
	case err != nil:
		x.failed("token", "the bot's account", err, resetToken)
	case me == nil || !me.Bot:
		x.add(finding.Error, "token", "This is not a bot token: programs may not use a person's account.", resetToken)
	default:
		x.Bot, x.Name = me.ID, me.Username
		x.ok("token", "Token accepted; the bot is %s (%s).", me.Username, me.ID)
		return true
	}
	return false
}

// application checks the bot's application.
func (x *examination) application(ctx context.Context) bool {
	r := link.Request{Method: "GET", Path: "/applications/@me", What: "check the bot's application", Repeatable: true}
	if err := x.api.Do(ctx, r, &x.app); err != nil {
		x.failed("application", "the bot's application", err, resetToken)
		return false
	}
	if !config.IsSnowflake(x.app.ID) {
		x.add(finding.Error, "application", "Discord did not return the application's ID.", "run it again")
		return false
	}
	x.Application, x.Invite = x.app.ID, Invite(x.app.ID, x.want.Server)
	x.ok("application", "%s (%s)", x.app.Name, x.app.ID)
	if x.app.BotRequireCodeGrant {
		x.add(finding.Error, "application", "\"Requires OAuth2 Code Grant\" is on, so the invite link does not work.", portal+", your application, Bot: switch off \"Requires OAuth2 Code Grant\"")
	}
	if x.app.BotPublic {
		x.add(finding.Warning, "application", "The bot is public: anyone can add it to their server. They gain nothing, but it is not needed.", portal+", your application, Installation: set Install Link to None; then Bot: switch off \"Public Bot\"")
	}
	x.intents()
	return true
}

// privileged are the application's flags for intents granted on request. Source: Discord's
// documentation, "Application Flags".
var privileged = []Permission{
	{1<<12 | 1<<13, "Presence", ""}, {1<<14 | 1<<15, "Server Members", ""}, {1<<18 | 1<<19, "Message Content", ""},
}

// intents lists the privileged intents switched on: none is needed.
func (x *examination) intents() {
	if on := names(privileged, x.app.Flags); on != "" {
		x.add(finding.Warning, "intents", "Privileged intents are on, but Callgate needs none: "+on+". A stolen token could read more than cards and answers.", portal+", your application, Bot, Privileged Gateway Intents: switch them off, unless another program uses the bot")
		return
	}
	x.ok("intents", "No privileged intent is on.")
}

// answers tells whether clicks and commands can come in: by the gateway, unless the
// application names an address to post them to; then there alone.
func (x *examination) answers() {
	page := portal + ", your application, General Information"
	switch key := x.want.PublicKey; {
	case key != "" && !strings.EqualFold(key, x.app.VerifyKey):
		x.add(finding.Error, "answers", "interactions.public_key is not the application's key: every click would be refused.", "copy the Public Key from "+page)
	case key != "" && x.app.InteractionsURL == "" && x.want.Gateway:
		x.add(finding.Warning, "answers", "The application has no Interactions Endpoint URL: clicks arrive through the gateway, and the endpoint is not used.", page+": enter the address of your proxy (Callgate must be running), or remove interactions from the configuration")
	case key != "" && x.app.InteractionsURL == "":
		x.add(finding.Error, "answers", "The application has no Interactions Endpoint URL, and the gateway is off: clicks do not arrive.", page+": enter the address of your proxy (Callgate must be running)")
	case key == "" && x.app.InteractionsURL != "":
		x.add(finding.Error, "answers", "The application sends clicks to "+x.app.InteractionsURL+", so they do not arrive here.", page+": clear Interactions Endpoint URL, or set interactions in the configuration")
	case key == "" && !x.want.Gateway:
		x.add(finding.Error, "answers", "Both the gateway and the interactions endpoint are off: clicks do not arrive.", "remove gateway: false from the configuration, or set interactions")
	case key != "" && !x.want.Gateway:
		x.ok("answers", "Clicks and commands arrive at %s; without the gateway, reactions and replies do not arrive.", x.app.InteractionsURL)
	case key != "":
		x.ok("answers", "Clicks and commands arrive at %s, reactions and replies through the gateway.", x.app.InteractionsURL)
	default:
		x.ok("answers", "Clicks, commands, reactions and replies arrive through the gateway.")
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
		x.add(finding.Warning, "commands", fmt.Sprintf("%s: not registered yet.", strings.Join(missing, ", ")), "callgate serve registers them when it connects")
		return
	}
	x.ok("commands", "All %d slash commands are registered.", len(x.want.Commands))
}
