package discordtest

// edited is called after a message became another.
func (s *Server) edited(m *Message) {
	m.Edits++
	m.edited = s.opts.Now()
	m.loading = false
	m.Flags &^= flagLoading
	s.dispatchMessage("MESSAGE_UPDATE", m)
	s.touch()
}

func (s *Server) getMessage(c *call) *answer {
	_, m, refused := s.messageOf(c, PermReadHistory)
	if refused != nil {
		return refused
	}
	return ok(s.messageView(m, s.readable(m)))
}

func (s *Server) editMessage(c *call) *answer {
	ch, m, refused := s.messageOf(c, 0)
	if refused != nil {
		return refused
	}
	if m.Author.ID != s.Bot {
		return fail(403, 50005, "Cannot edit a message authored by another user")
	}
	if ch.archived {
		return fail(400, 50083, "Thread is archived")
	}
	return s.change(c, m, c.body, editMembers)
}

// change edits a message as a request says; a bad one leaves it as it was.
func (s *Server) change(c *call, m *Message, body []byte, members []string) *answer {
	b, refused := s.decodeMessage(c, body, members)
	if refused != nil {
		return refused
	}
	if ch := s.channels[m.ChannelID]; len(b.files) > 0 && !m.webhook {
		if refused := s.botMay(ch, PermAttachFiles); refused != nil {
			return refused
		}
	}
	next := *m
	if problems := s.apply(&next, b, FlagSuppressEmbeds); len(problems) > 0 {
		return s.invalid(c, problems)
	}
	*m = next
	s.edited(m)
	return ok(s.messageView(m, true))
}

func (s *Server) deleteMessage(c *call) *answer {
	ch, m, refused := s.messageOf(c, 0)
	if refused != nil {
		return refused
	}
	if m.Author.ID != s.Bot && s.permissions(ch, s.Bot)&PermManageMessages == 0 {
		return fail(403, 50013, "Missing Permissions")
	}
	s.remove(m)
	return &answer{status: 204}
}

// remove deletes a message and tells everybody.
func (s *Server) remove(m *Message) {
	m.Deleted = true
	if m.For == "" {
		view := object{"id": m.ID, "channel_id": m.ChannelID}
		if m.GuildID != "" {
			view["guild_id"] = m.GuildID
		}
		s.dispatch("MESSAGE_DELETE", messageIntent(m.GuildID), m.ChannelID, view)
	}
	s.touch()
}
