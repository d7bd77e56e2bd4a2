package setup

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Permission is one permission bit in a server or channel.
type Permission struct {
	Bit int64
	// Name is its name in Discord's English settings.
	Name string
	// For is Callgate's use of it.
	For string
}

// bypassSlowMode is younger than discordgo.
const bypassSlowMode = 1 << 52

// Permissions are those the bot needs, and no other.
func Permissions() []Permission {
	return []Permission{
		{discordgo.PermissionViewChannel, "View Channel", "to see the channel"},
		{discordgo.PermissionSendMessages, "Send Messages", "to post cards"},
		{discordgo.PermissionReadMessageHistory, "Read Message History", "to compare its cards with what it posted, and to read replies"},
		{discordgo.PermissionAttachFiles, "Attach Files", "to attach a call that is too long for a card"},
		{discordgo.PermissionEmbedLinks, "Embed Links", ""},
		{discordgo.PermissionAddReactions, "Add Reactions", "to add the three reactions to its cards"},
		{discordgo.PermissionCreatePublicThreads, "Create Public Threads", "to give each session a thread"},
		{discordgo.PermissionSendMessagesInThreads, "Send Messages in Threads", "to post cards into threads"},
	}
}

// Invited is the sum of Permissions.
func Invited() int64 {
	var sum int64
	for _, p := range Permissions() {
		sum |= p.Bit
	}
	return sum
}

// Needs are the names of Permissions.
func Needs() string { return names(Permissions(), Invited()) }

// Invite is the address for a server's manager to add an application's bot to it, with
// Permissions. server, when not empty, is preselected.
func Invite(application, server string) string {
	q := url.Values{
		"client_id": {application}, "permissions": {fmt.Sprint(Invited())}, "scope": {"bot applications.commands"},
	}
	if server != "" {
		q.Set("guild_id", server)
	}
	return "https://discord.com/oauth2/authorize?" + q.Encode()
}

// all are the permissions of an administrator and the owner of a server.
const all = ^int64(0)

// everywhere are a member's permissions in the server, without those of channels. The role of
// everybody has the server's own id.
func everywhere(g *discordgo.Guild, m *discordgo.Member) int64 {
	if m.User != nil && m.User.ID != "" && m.User.ID == g.OwnerID {
		return all
	}
	var sum int64
	for _, r := range g.Roles {
		if r.ID == g.ID || slices.Contains(m.Roles, r.ID) {
			sum |= r.Permissions
		}
	}
	if sum&discordgo.PermissionAdministrator != 0 {
		return all
	}
	return sum
}

// within are a member's permissions in a channel: first the overwrite for everybody counts,
// then those for roles, at once, then the one for the member; each takes away before it gives.
// Source: Discord's documentation, "Permission Overwrites".
func within(g *discordgo.Guild, c *discordgo.Channel, m *discordgo.Member, now time.Time) int64 {
	may := everywhere(g, m)
	if may == all {
		return all
	}
	var everybody, roles, own discordgo.PermissionOverwrite
	for _, o := range c.PermissionOverwrites {
		switch {
		case o.Type == discordgo.PermissionOverwriteTypeRole && o.ID == g.ID:
			everybody = *o
		case o.Type == discordgo.PermissionOverwriteTypeRole && slices.Contains(m.Roles, o.ID):
			roles.Allow, roles.Deny = roles.Allow|o.Allow, roles.Deny|o.Deny
		case o.Type == discordgo.PermissionOverwriteTypeMember && m.User != nil && o.ID == m.User.ID:
			own = *o
		}
	}
	for _, o := range []discordgo.PermissionOverwrite{everybody, roles, own} {
		may = may&^o.Deny | o.Allow
	}
	return implied(may, m, now)
}

// implied removes permissions that lack a prerequisite, or are suspended for a while.
func implied(may int64, m *discordgo.Member, now time.Time) int64 {
	const reading = discordgo.PermissionViewChannel | discordgo.PermissionReadMessageHistory
	switch {
	case may&discordgo.PermissionViewChannel == 0:
		return 0
	case m.CommunicationDisabledUntil != nil && m.CommunicationDisabledUntil.After(now):
		return may & reading
	case may&discordgo.PermissionSendMessages == 0:
		return may &^ (discordgo.PermissionAttachFiles | discordgo.PermissionEmbedLinks | discordgo.PermissionMentionEveryone)
	}
	return may
}

// powers are permissions a bot for approvals should not have: anyone with its token has them.
var powers = []Permission{
	{discordgo.PermissionAdministrator, "Administrator", ""},
	{discordgo.PermissionManageRoles, "Manage Roles", ""},
	{discordgo.PermissionManageGuild, "Manage Server", ""},
	{discordgo.PermissionManageChannels, "Manage Channels", ""},
	{discordgo.PermissionManageWebhooks, "Manage Webhooks", ""},
}

// names lists the permissions with their bits set.
func names(list []Permission, set int64) string {
	var out []string
	for _, p := range list {
		if set&p.Bit != 0 {
			out = append(out, p.Name)
		}
	}
	return strings.Join(out, ", ")
}
