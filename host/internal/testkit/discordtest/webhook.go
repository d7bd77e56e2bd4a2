package discordtest

import "strconv"

func itoa(n int) string { return strconv.Itoa(n) }

func permissionsOf(p int64) string { return strconv.FormatInt(p, 10) }

// hookOf finds the interaction of the path's token.
func (s *Server) hookOf(c *call) (*interaction, *answer) {
	i := s.tokens[c.params["webhook_token"]]
	switch {
	case c.params["webhook_id"] != s.Application || i == nil || i.answered == 0:
		return nil, fail(404, 10015, "Unknown Webhook")
	case s.opts.Now().Sub(i.begun) > tokenFor:
		return nil, fail(401, 50027, "Invalid Webhook Token")
	}
	return i, nil
}

// hookMessageOf finds @original, or another message of the interaction.
func (s *Server) hookMessageOf(c *call) (*Message, *answer) {
	i, refused := s.hookOf(c)
	if refused != nil {
		return nil, refused
	}
	id := c.params["message_id"]
	if id == "" {
		id = i.original
	}
	m := s.messages[id]
	if m == nil || m.Deleted || id != i.original && m.Interaction != i.id {
		return nil, fail(404, 10008, "Unknown Message")
	}
	return m, nil
}

// followUp posts another message for an interaction; the first one after a deferred
// answer takes its place.
func (s *Server) followUp(c *call) *answer {
	i, refused := s.hookOf(c)
	if refused != nil {
		return refused
	}
	if m := s.messages[i.original]; m != nil && m.loading && !m.Deleted {
		// Whether it is ephemeral was said when it was deferred.
		b, refused := s.decodeMessage(c, c.body, followUpMembers)
		if refused != nil {
			return refused
		}
		next := *m
		next.Flags &^= flagLoading
		if p := s.apply(&next, b, callbackFlags); len(p) > 0 {
			return s.invalid(c, p)
		}
		next.Flags = next.Flags&^FlagEphemeral | m.Flags&FlagEphemeral
		*m = next
		m.Pings = s.pings(m, b.Mentions, "")
		s.edited(m)
		return ok(s.messageView(m, true))
	}
	m, refused := s.hookMessage(c, i, c.body, followUpMembers)
	if refused != nil {
		return refused
	}
	return ok(s.messageView(m, true))
}

func (s *Server) getHookMessage(c *call) *answer {
	m, refused := s.hookMessageOf(c)
	if refused != nil {
		return refused
	}
	return ok(s.messageView(m, true))
}

func (s *Server) editHookMessage(c *call) *answer {
	m, refused := s.hookMessageOf(c)
	if refused != nil {
		return refused
	}
	return s.change(c, m, c.body, append([]string{"poll"}, editMembers...))
}

func (s *Server) deleteHookMessage(c *call) *answer {
	m, refused := s.hookMessageOf(c)
	if refused != nil {
		return refused
	}
	s.remove(m)
	return &answer{status: 204}
}
