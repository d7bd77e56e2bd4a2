package discordtest

import (
	"fmt"
	"slices"
	"time"
)

// populate makes everything promised by New.
func (s *Server) populate() {
	s.Application = s.newID()
	s.Bot = s.newID()
	s.users[s.Bot] = &User{ID: s.Bot, Name: "callgate", Bot: true}
	if s.Token == "" {
		s.Token = madeUpToken(s.Bot)
	}
	s.application = Portal{VerifyKey: s.PublicKey(), BotPublic: true}
	s.Owner = s.AddUser("owner")
	s.Guild = s.AddGuild("Workshop", s.Owner)
	s.BotRole = s.AddRole(s.Guild, "callgate", s.opts.Permissions)
	s.SetRoles(s.Guild, s.Bot, s.BotRole)
	s.Channel = s.AddChannel(s.Guild, "approvals")
}

// AddUser makes an account outside any guild, and returns its id.
func (s *Server) AddUser(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.newID()
	s.users[id] = &User{ID: id, Name: name}
	return id
}

// AddBot makes another bot's account, and returns its id.
func (s *Server) AddBot(name string) string {
	id := s.AddUser(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[id].Bot = true
	return id
}

// AddGuild makes a guild with its owner and the bot in it, and returns its id. Everybody
// there may view channels, write, react and use commands.
func (s *Server) AddGuild(name, owner string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.newID()
	s.guilds[id] = &guild{
		id: id, name: name, owner: owner,
		roles:   []*role{{id: id, name: "@everyone", permissions: everyonePermissions}},
		members: map[string]*member{owner: {}, s.Bot: {}},
	}
	s.dispatch("GUILD_CREATE", intentGuilds, "", s.guildCreate(s.guilds[id]))
	return id
}

// AddRole makes a role, and returns its id.
func (s *Server) AddRole(guildID, name string, permissions int64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, g := s.newID(), s.mustGuild(guildID)
	g.roles = append(g.roles, &role{id: id, name: name, permissions: permissions})
	s.dispatch("GUILD_ROLE_CREATE", intentGuilds, "", map[string]any{"guild_id": guildID, "role": roleView(g, id)})
	return id
}

// SetRole changes a role's permissions; mentionable means: everybody may ping it. The guild's
// own id is the role of everybody.
func (s *Server) SetRole(guildID, roleID string, permissions int64, mentionable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	for _, r := range g.roles {
		if r.id == roleID {
			r.permissions, r.mentionable = permissions, mentionable
		}
	}
	s.dispatch("GUILD_ROLE_UPDATE", intentGuilds, "", map[string]any{"guild_id": guildID, "role": roleView(g, roleID)})
}

// SetRoles makes a user a member of the guild with exactly these roles.
func (s *Server) SetRoles(guildID, userID string, roles ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	_, was := g.members[userID]
	g.members[userID] = &member{roles: slices.Clone(roles)}
	event := "GUILD_MEMBER_ADD"
	if was {
		event = "GUILD_MEMBER_UPDATE"
	}
	view := s.memberView(g, userID, true)
	view["guild_id"] = guildID
	s.dispatch(event, intentGuildMembers, "", view)
}

// RemoveMember takes a user out of the guild. Taking the bot out hides the guild from it.
func (s *Server) RemoveMember(guildID, userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mustGuild(guildID).members, userID)
	if userID == s.Bot {
		s.dispatch("GUILD_DELETE", intentGuilds, "", map[string]any{"id": guildID})
		return
	}
	s.dispatch("GUILD_MEMBER_REMOVE", intentGuildMembers, "",
		map[string]any{"guild_id": guildID, "user": s.userView(userID)})
}

// AddChannel makes a text channel, and returns its id.
func (s *Server) AddChannel(guildID, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustGuild(guildID)
	c := s.newChannel(textChannel)
	c.guild, c.name = guildID, name
	s.dispatch("CHANNEL_CREATE", intentGuilds, c.id, s.channelView(c))
	return c.id
}

// SetChannel changes a channel's type and slow mode, in seconds.
func (s *Server) SetChannel(channelID string, kind, slow int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	c.kind, c.slow = kind, slow
	s.dispatch("CHANNEL_UPDATE", intentGuilds, c.id, s.channelView(c))
}

// Overwrite sets the permissions of a role or member in one channel, besides or instead of
// those of the roles; id is a role's, the guild's for everybody, or a user's.
func (s *Server) Overwrite(channelID, id string, allow, deny int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	_, user := s.users[id]
	c.overwrites = slices.DeleteFunc(c.overwrites, func(o overwrite) bool { return o.id == id })
	c.overwrites = append(c.overwrites, overwrite{id: id, user: user, allow: allow, deny: deny})
	s.dispatch("CHANNEL_UPDATE", intentGuilds, c.id, s.channelView(c))
}

// DeleteChannel takes a channel or thread away, with its messages.
func (s *Server) DeleteChannel(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	event := "CHANNEL_DELETE"
	if c.kind == publicThread {
		event = "THREAD_DELETE"
	}
	s.dispatch(event, intentGuilds, c.id, s.channelView(c))
	for _, id := range c.messages {
		s.messages[id].Deleted = true
	}
	delete(s.channels, channelID)
}

// ArchiveThread closes a thread; writing does not reopen a locked one.
func (s *Server) ArchiveThread(threadID string, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(threadID)
	c.archived, c.locked = true, locked
	s.dispatch("THREAD_UPDATE", intentGuilds, c.id, s.channelView(c))
}

// RefuseDMs makes a user take no direct messages of the bot (50007).
func (s *Server) RefuseDMs(userID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustUser(userID).noDMs = true
}

func (s *Server) newChannel(kind int) *channel {
	c := &channel{id: s.newID(), kind: kind, last: map[string]time.Time{}}
	s.channels[c.id] = c
	return c
}

// directChannel returns the direct channel of the bot with a user, made when needed.
func (s *Server) directChannel(userID string) *channel {
	for _, c := range s.channels {
		if c.kind == directly && slices.Contains(c.recipients, userID) {
			return c
		}
	}
	c := s.newChannel(directly)
	c.recipients = []string{s.Bot, userID}
	return c
}

// The must functions panic on an id made up by a test: its own mistake.
func (s *Server) mustGuild(id string) *guild {
	if g := s.guilds[id]; g != nil {
		return g
	}
	panic(fmt.Sprintf("discordtest: there is no guild %q", id))
}

func (s *Server) mustChannel(id string) *channel {
	if c := s.channels[id]; c != nil {
		return c
	}
	panic(fmt.Sprintf("discordtest: there is no channel %q", id))
}

func (s *Server) mustUser(id string) *User {
	if u := s.users[id]; u != nil {
		return u
	}
	panic(fmt.Sprintf("discordtest: there is no user %q", id))
}
