package discordtest

import (
	"slices"
	"strconv"
)

// Portal is what the developer portal says of the application.
type Portal struct {
	// VerifyKey is what it shows as the public key; normally PublicKey.
	VerifyKey string
	// BotPublic tells that others may add the bot; CodeGrant that it wants a code grant.
	BotPublic, CodeGrant bool
	// MessageContent is the privileged intent; without it content is hidden.
	MessageContent bool
	// Endpoint is the interactions endpoint URL, empty for none.
	Endpoint string
}

// Portal returns what the developer portal says.
func (s *Server) Portal() Portal {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.application
	p.Endpoint = s.endpoint
	return p
}

// SetPortal changes it, all but the endpoint, which SetEndpoint sets. Allowing the
// message content also allows its intent.
func (s *Server) SetPortal(p Portal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.application = p
	if p.MessageContent {
		s.opts.Privileged |= intentMessageContent
	}
}

func (s *Server) getApplication(*call) *answer {
	flags := 0
	if s.opts.Privileged&intentMessageContent != 0 {
		flags |= 1 << 19 // GATEWAY_MESSAGE_CONTENT_LIMITED
	}
	if s.opts.Privileged&intentGuildMembers != 0 {
		flags |= 1 << 15 // GATEWAY_GUILD_MEMBERS_LIMITED
	}
	v := object{
		"id": s.Application, "name": s.users[s.Bot].Name, "icon": nil, "description": "", "type": nil,
		"verify_key": s.application.VerifyKey, "flags": flags, "flags_new": strconv.Itoa(flags), "redirect_uris": []string{},
		"interactions_endpoint_url": nil, "role_connections_verification_url": nil, "owner": s.userView(s.Owner),
		"approximate_guild_count": len(s.guilds), "approximate_user_install_count": 0,
		"approximate_user_authorization_count": 0, "explicit_content_filter": 0, "team": nil,
		"eligible_oauth2_scopes": []string{}, "bot_public": s.application.BotPublic, "bot_require_code_grant": s.application.CodeGrant,
		"bot": s.userView(s.Bot),
	}
	if s.endpoint != "" {
		v["interactions_endpoint_url"] = s.endpoint
	}
	return ok(v)
}

func (s *Server) getMe(*call) *answer {
	v := s.userView(s.Bot)
	v["mfa_enabled"], v["locale"], v["verified"], v["email"] = false, "en-US", true, nil
	return ok(v)
}

func (s *Server) getMyGuilds(*call) *answer {
	views := []object{}
	for _, g := range s.botGuilds() {
		views = append(views, object{"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": g.owner == s.Bot,
			"permissions": strconv.FormatInt(s.guildPermissions(g, s.Bot), 10), "features": []string{}})
	}
	return ok(views)
}

// botGuilds are those that the bot is in, oldest first.
func (s *Server) botGuilds() []*guild {
	var list []*guild
	for _, g := range s.guilds {
		if g.members[s.Bot] != nil {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b *guild) int { return compareIDs(a.id, b.id) })
	return list
}

func (s *Server) getUser(c *call) *answer {
	if s.users[c.params["user_id"]] == nil {
		return fail(404, 10013, "Unknown User")
	}
	return ok(s.userView(c.params["user_id"]))
}

func (s *Server) openDM(c *call) *answer {
	var body struct {
		Recipient  string   `json:"recipient_id"`
		Recipients []string `json:"recipients"` // never used by bots; discordgo has none
	}
	if refused := s.decode(c, c.body, &body); refused != nil {
		return refused
	}
	u := s.users[body.Recipient]
	switch {
	case u == nil:
		return s.invalid(c, problems{"recipient_id: there is no such user"})
	case u.Bot:
		return fail(400, 50007, "Cannot send messages to this user")
	}
	return ok(s.channelView(s.directChannel(u.ID)))
}

// guildOf finds the request's guild; to a bot that is not in it, it is not there.
func (s *Server) guildOf(c *call) (*guild, *answer) {
	g := s.guilds[c.params["guild_id"]]
	if g == nil {
		return nil, fail(404, 10004, "Unknown Guild")
	}
	if g.members[s.Bot] == nil {
		return nil, fail(403, 50001, "Missing Access")
	}
	return g, nil
}

func (s *Server) getGuild(c *call) *answer {
	g, refused := s.guildOf(c)
	if refused != nil {
		return refused
	}
	return ok(s.guildView(g))
}

func (s *Server) getRoles(c *call) *answer {
	g, refused := s.guildOf(c)
	if refused != nil {
		return refused
	}
	return ok(roleViews(g))
}

func (s *Server) getChannels(c *call) *answer {
	g, refused := s.guildOf(c)
	if refused != nil {
		return refused
	}
	views := []object{}
	for _, ch := range s.guildChannels(g.id) {
		if ch.kind != publicThread {
			views = append(views, s.channelView(ch))
		}
	}
	return ok(views)
}

func (s *Server) getThreads(c *call) *answer {
	g, refused := s.guildOf(c)
	if refused != nil {
		return refused
	}
	views := []object{}
	for _, ch := range s.guildChannels(g.id) {
		if ch.kind == publicThread && !ch.archived && s.permissions(ch, s.Bot)&PermViewChannel != 0 {
			views = append(views, s.channelView(ch))
		}
	}
	return ok(object{"threads": views, "members": []object{}, "has_more": false})
}

func (s *Server) getMember(c *call) *answer {
	g, refused := s.guildOf(c)
	if refused != nil {
		return refused
	}
	id := c.params["user_id"]
	if id == "@me" {
		id = s.Bot
	}
	switch {
	case s.users[id] == nil:
		return fail(404, 10013, "Unknown User")
	case g.members[id] == nil:
		return fail(404, 10007, "Unknown Member")
	}
	return ok(s.memberView(g, id, true))
}

func (s *Server) getChannel(c *call) *answer {
	ch, refused := s.channelOf(c, 0)
	if refused != nil {
		return refused
	}
	return ok(s.channelView(ch))
}

func (s *Server) typing(c *call) *answer {
	if _, refused := s.channelOf(c, PermSendMessages); refused != nil {
		return refused
	}
	return &answer{status: 204}
}

// createThread starts one in a channel, or at a message, which then gives it its id.
func (s *Server) createThread(c *call) *answer {
	ch, refused := s.channelOf(c, PermCreatePublicThreads)
	if refused != nil {
		return refused
	}
	var body struct {
		Name      string `json:"name"`
		Archive   int    `json:"auto_archive_duration"`
		Slow      int    `json:"rate_limit_per_user"`
		Kind      int    `json:"type"`
		Invitable bool   `json:"invitable"`
	}
	if refused := s.decode(c, c.body, &body); refused != nil {
		return refused
	}
	var m *Message
	if c.params["message_id"] != "" {
		if _, m, refused = s.messageOf(c, PermReadHistory); refused != nil {
			return refused
		}
	}
	var p problems
	p.add(body.Name == "" || units(body.Name) > 100, "name: %d characters, of 1 to 100", units(body.Name))
	p.add(body.Archive != 0 && !slices.Contains([]int{60, 1440, 4320, 10080}, body.Archive), "auto_archive_duration: %d", body.Archive)
	p.add(m == nil && body.Kind != publicThread, "type: %d: here are only public threads (11); without a type Discord makes a private one", body.Kind)
	p.add(ch.kind != textChannel, "channel: type %d has no threads", ch.kind)
	if len(p) > 0 {
		return s.invalid(c, p)
	}
	if m != nil && m.thread != "" {
		return fail(400, 160004, "A thread has already been created for this message")
	}
	return &answer{status: 201, body: s.channelView(s.newThread(ch, m, body.Name))}
}

func (s *Server) newThread(ch *channel, m *Message, name string) *channel {
	thread := s.newChannel(publicThread)
	if m != nil {
		delete(s.channels, thread.id)
		thread.id, m.thread = m.ID, m.ID
		s.channels[thread.id] = thread
	}
	thread.guild, thread.parent, thread.owner, thread.name = ch.guild, ch.id, s.Bot, name
	view := s.channelView(thread)
	view["newly_created"] = true
	s.dispatch("THREAD_CREATE", intentGuilds, thread.id, view)
	s.touch()
	return thread
}
