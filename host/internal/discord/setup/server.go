package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// server looks at the server and the bot's place in it.
func (x *examination) server(ctx context.Context) bool {
	if x.want.Server == "" {
		x.add(finding.Skipped, "server", "No server is configured.", "invite the bot: "+x.Invite+" ; then run this command with --server ID --channel ID (Discord: Settings, Advanced, Developer Mode; then right-click, Copy ID)")
		return false
	}
	invite := "invite the bot, as a person who manages the server: " + x.Invite
	guild, err := x.api.Guild(ctx, x.want.Server)
	if err == nil && guild == nil {
		err = link.ErrGone
	}
	if err != nil {
		x.failed("server", "the server "+x.want.Server, err, "use the ID of the server, not of a channel (right-click the server's name, Copy Server ID). If the ID is right, "+invite)
		return false
	}
	x.guild = guild
	if x.bot, err = x.api.Member(ctx, guild.ID, x.Bot); err != nil || x.bot == nil {
		x.failed("server", "the bot's membership of "+guild.Name, err, invite)
		return false
	}
	if x.bot.User == nil {
		x.bot.User = &discordgo.User{ID: x.Bot}
	}
	x.ok("server", "The bot is a member of %s (%s).", guild.Name, guild.ID)
	if too := names(powers, everywhere(guild, x.bot)); too != "" {
		x.add(finding.Warning, "server", "The bot has more permissions than it needs ("+too+"). A stolen token could use them.", "remove these permissions from its role in "+guild.Name)
	}
	return true
}

// rolesNamed are the server's roles for a text: one by its id, or all of a name. The role of
// everybody is none of them.
func (x *examination) rolesNamed(text string) []*discordgo.Role {
	var named []*discordgo.Role
	for _, r := range x.guild.Roles {
		switch {
		case r.ID == x.guild.ID:
		case r.ID == text:
			return []*discordgo.Role{r}
		case r.Name == text:
			named = append(named, r)
		}
	}
	return named
}

// approvers checks the roles of approvers.
func (x *examination) approvers() {
	for _, role := range x.want.Roles {
		found := x.rolesNamed(role.Name)
		switch {
		case len(found) > 1:
			x.add(finding.Warning, "approver_role", fmt.Sprintf("%d roles of the server are named %s, and each of them may approve. Anyone who manages roles can create one.", len(found), role.Name), "rename the others, or use the role's ID in the configuration")
		case len(found) == 0 && role.Held:
			x.ok("approver_role", "%s is not a role of the server; the configuration assigns it to people.", role.Name)
		case len(found) == 0:
			x.add(finding.Warning, "approver_role", role.Name+" is not a role of the server, and the configuration assigns it to no one with a Discord account, so no one has it.", "create the role, correct its name or ID, or assign it under people")
		case found[0].Managed:
			x.add(finding.Warning, "approver_role", role.Name+" is the role of a bot or of a subscription, which people cannot be given by hand.", "use a role of your own")
		default:
			x.ok("approver_role", "%s is a role of the server (%s).", found[0].Name, found[0].ID)
		}
	}
	for _, agent := range x.want.Requesterless {
		x.add(finding.Warning, "approver_role", "No one can approve calls of "+agent+": the requester may not approve (exclude_requester), and the requester is unknown.", "agents: {"+agent+": {user: NAME}}")
	}
	if len(x.want.Roles)+len(x.want.People) == 0 {
		x.add(finding.Warning, "approver_role", "No approvers are configured; in Discord only the server's administrators may answer.", "people: {NAME: {discord: USERID}}, or ask_approvers: {roles: [...]}")
	}
}

// mentions checks the roles to ping.
func (x *examination) mentions() {
	for _, m := range x.want.Mentions {
		i := slices.IndexFunc(x.guild.Roles, func(r *discordgo.Role) bool { return r.ID == m.Role })
		channel := x.places[m.Channel]
		switch {
		case i < 0:
			x.add(finding.Error, "mention_role", fmt.Sprintf("%s: the server has no role %s.", m.Where, m.Role), "correct the ID: Server Settings, Roles, ..., Copy Role ID")
		case x.guild.Roles[i].Mentionable:
			x.ok("mention_role", "%s can be mentioned.", x.guild.Roles[i].Name)
		case channel != nil && within(x.guild, channel, x.bot, x.now())&discordgo.PermissionMentionEveryone != 0:
			x.ok("mention_role", "%s can be mentioned in #%s.", x.guild.Roles[i].Name, channel.Name)
		default:
			x.add(finding.Warning, "mention_role", x.guild.Roles[i].Name+" cannot be mentioned by the bot: its members would get no notification.", "Server Settings, Roles, "+x.guild.Roles[i].Name+": switch on \"Allow anyone to @mention this role\"")
		}
	}
}

// people looks for those whom the configuration gives an account.
func (x *examination) people(ctx context.Context) {
	for _, p := range x.want.People {
		field := "people." + p.Name + ".discord"
		m, err := x.api.Member(ctx, x.guild.ID, p.Account)
		switch {
		case errors.Is(err, link.ErrGone) || err == nil && m == nil:
			x.add(finding.Error, "person", fmt.Sprintf("%s: %s is not a member of the server and may not answer.", field, p.Account), "invite them, or correct the ID (right-click the person, Copy User ID)")
		case err != nil:
			x.failed("person", field, err, "check whether the bot is a member of the server")
		case m.User != nil && m.User.Bot:
			x.add(finding.Error, "person", fmt.Sprintf("%s: %s is a bot, and bots cannot answer.", field, p.Account), "correct the ID (right-click the person, Copy User ID)")
		default:
			x.ok("person", "%s is %s.", p.Name, displayName(m))
		}
	}
}

// displayName is how a member is shown, with the name of the account.
func displayName(m *discordgo.Member) string {
	if m.User == nil {
		return m.Nick
	}
	name := m.User.Username
	if shown := firstOf(m.Nick, m.User.GlobalName); shown != "" && !strings.EqualFold(shown, name) {
		return shown + " (" + name + ")"
	}
	return name
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
