package discordtest

import (
	"slices"
	"strconv"
)

// Portal is the application in the developer portal.
type Portal struct {
	// VerifyKey is the public key shown there; normally PublicKey.
	VerifyKey string
	// BotPublic means: others may add the bot; CodeGrant: it wants a code grant.
	BotPublic, CodeGrant bool
	// MessageContent is the privileged intent; without it content is hidden.
	MessageContent bool
	// Endpoint is the interactions endpoint URL, empty for none.
	Endpoint string
}

// Portal returns the developer portal's data.
func (s *Server) Portal() Portal {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.application
	p.Endpoint = s.endpoint
	return p
}

// SetPortal changes all of it except the endpoint; see SetEndpoint. Allowing the message
// content also allows its intent.
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

// botGuilds are the bot's guilds, oldest first.
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

// guildOf finds the request's guild; to a bot outside, it does not exist.
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

// createThread starts one in a channel.
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
	var p problems
	p.add(body.Name == "" || units(body.Name) > 100, "name: %d characters, of 1 to 100", units(body.Name))
	p.add(body.Archive != 0 && !slices.Contains([]int{60, 1440, 4320, 10080}, body.Archive), "auto_archive_duration: %d", body.Archive)
	p.add(body.Kind != publicThread, "type: %d: here are only public threads (11); without a type Discord makes a private one", body.Kind)
	p.add(ch.kind != textChannel, "channel: type %d has no threads", ch.kind)
	if len(p) > 0 {
		return s.invalid(c, p)
	}
	return &answer{status: 201, body: s.channelView(s.newThread(ch, body.Name))}
}

func (s *Server) newThread(ch *channel, name string) *channel {
	thread := s.newChannel(publicThread)
	thread.guild, thread.parent, thread.owner, thread.name = ch.guild, ch.id, s.Bot, name
	view := s.channelView(thread)
	view["newly_created"] = true
	s.dispatch("THREAD_CREATE", intentGuilds, thread.id, view)
	s.touch()
	return thread
}
