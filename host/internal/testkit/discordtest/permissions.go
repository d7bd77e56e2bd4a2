package discordtest

import "slices"

// Permissions, as far as they matter here.
const (
	PermAdministrator       int64 = 1 << 3
	PermAddReactions        int64 = 1 << 6
	PermViewChannel         int64 = 1 << 10
	PermSendMessages        int64 = 1 << 11
	PermManageMessages      int64 = 1 << 13
	PermEmbedLinks          int64 = 1 << 14
	PermAttachFiles         int64 = 1 << 15
	PermReadHistory         int64 = 1 << 16
	PermMentionEveryone     int64 = 1 << 17
	PermUseCommands         int64 = 1 << 31
	PermCreatePublicThreads int64 = 1 << 35
	PermSendInThreads       int64 = 1 << 38
	PermBypassSlowMode      int64 = 1 << 52
	everyonePermissions           = PermViewChannel | PermSendMessages | PermReadHistory | PermAddReactions | PermUseCommands | PermSendInThreads
	all                     int64 = 1<<53 - 1
	directPermissions             = everyonePermissions | PermAttachFiles | PermEmbedLinks
)

// permissions are a user's permissions in a channel. Order from Discord's documentation,
// "Permission Overwrites": everybody, roles, member; nothing without the view.
func (s *Server) permissions(c *channel, userID string) int64 {
	if c.kind == directly {
		if slices.Contains(c.recipients, userID) {
			return directPermissions
		}
		return 0
	}
	g := s.guilds[c.guild]
	m := g.members[userID]
	if m == nil {
		return 0
	}
	base := s.guildPermissions(g, userID)
	if base&PermAdministrator != 0 {
		return all
	}
	base = overwritten(base, s.settled(c).overwrites, g.id, userID, m.roles)
	if base&PermViewChannel == 0 {
		return 0
	}
	return base
}

// settled is the channel with the relevant overwrites: a thread has its parent's.
func (s *Server) settled(c *channel) *channel {
	if c.kind == publicThread && s.channels[c.parent] != nil {
		return s.channels[c.parent]
	}
	return c
}

// guildPermissions are a member's permissions without those of channels.
func (s *Server) guildPermissions(g *guild, userID string) int64 {
	m := g.members[userID]
	if m == nil {
		return 0
	}
	if g.owner == userID {
		return all
	}
	base := g.roles[0].permissions
	for _, r := range g.roles {
		if slices.Contains(m.roles, r.id) {
			base |= r.permissions
		}
	}
	if base&PermAdministrator != 0 {
		return all
	}
	return base
}

func overwritten(base int64, list []overwrite, guildID, userID string, roles []string) int64 {
	var roleAllow, roleDeny int64
	var own *overwrite
	for _, o := range list {
		switch {
		case o.user && o.id == userID:
			own = &o
		case o.user:
		case o.id == guildID:
			base = base&^o.deny | o.allow
		case slices.Contains(roles, o.id):
			roleAllow |= o.allow
			roleDeny |= o.deny
		}
	}
	base = base&^roleDeny | roleAllow
	if own != nil {
		base = base&^own.deny | own.allow
	}
	return base
}

// sendPermission is the one for writing in a channel.
func sendPermission(c *channel) int64 {
	if c.kind == publicThread {
		return PermSendInThreads
	}
	return PermSendMessages
}

// botMay checks the bot's permissions in a channel: 50001 when it does not even see it, 50013
// when it lacks the needed one.
func (s *Server) botMay(c *channel, needed int64) *answer {
	have := s.permissions(c, s.Bot)
	if have&PermViewChannel == 0 {
		return fail(403, 50001, "Missing Access")
	}
	if have&needed != needed {
		return fail(403, 50013, "Missing Permissions")
	}
	return nil
}
