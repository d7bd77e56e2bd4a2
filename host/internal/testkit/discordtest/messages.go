package discordtest

import (
	"slices"
	"strconv"
	"time"
)

// nonce remembers the message posted with one.
type nonce struct {
	message string
	at      time.Time
}

// nonceFor is how long a nonce is remembered: Discord says "the past few minutes".
const nonceFor = 5 * time.Minute

// channelOf finds the request's channel and checks the bot's permissions there.
func (s *Server) channelOf(c *call, needed int64) (*channel, *answer) {
	ch := s.channels[c.params["channel_id"]]
	if ch == nil {
		return nil, fail(404, 10003, "Unknown Channel")
	}
	return ch, s.botMay(ch, needed)
}

// messageOf finds the request's message: not an ephemeral one, accessible only to its
// interaction's webhook.
func (s *Server) messageOf(c *call, needed int64) (*channel, *Message, *answer) {
	ch, refused := s.channelOf(c, needed)
	if refused != nil {
		return nil, nil, refused
	}
	m := s.messages[c.params["message_id"]]
	if m == nil || m.Deleted || m.For != "" || m.ChannelID != ch.id {
		return nil, nil, fail(404, 10008, "Unknown Message")
	}
	return ch, m, nil
}

func (s *Server) createMessage(c *call) *answer {
	ch, refused := s.channelOf(c, 0)
	if refused != nil {
		return refused
	}
	b, refused := s.decodeMessage(c, c.body, createMembers)
	if refused != nil {
		return refused
	}
	if refused := s.maySend(ch, b); refused != nil {
		return refused
	}
	key := ""
	if b.Nonce != nil {
		key = ch.id + " " + fileIndex(b.Nonce)
		if before, found := s.nonces[key]; b.Enforce && found && s.opts.Now().Sub(before.at) < nonceFor && !s.messages[before.message].Deleted {
			return ok(s.messageView(s.messages[before.message], true))
		}
	}
	m := s.draft(ch.id, s.Bot)
	m.nonce = b.Nonce
	problems := s.apply(m, b, FlagSuppressEmbeds|flagSilent)
	if b.Reference != nil {
		to := s.messages[b.Reference.Message]
		if gone := to == nil || to.Deleted || to.For != "" || to.ChannelID != ch.id; !gone {
			m.ReplyTo = to.ID
		} else if b.Reference.Fail == nil || *b.Reference.Fail {
			return fail(400, 50035, "Invalid Form Body") // it may have been deleted meanwhile: no rule is broken
		}
	}
	if len(problems) > 0 {
		return s.invalid(c, problems)
	}
	s.post(ch, m, b.Mentions)
	if key != "" {
		s.nonces[key] = nonce{m.ID, s.opts.Now()}
	}
	return ok(s.messageView(m, true))
}

// maySend checks whether the bot may post such a message there.
func (s *Server) maySend(ch *channel, b *messageBody) *answer {
	if ch.kind != textChannel && ch.kind != directly && ch.kind != publicThread {
		return fail(400, 50008, "Cannot send messages in a non-text channel")
	}
	if ch.kind == directly {
		for _, id := range ch.recipients {
			if s.users[id].noDMs {
				return fail(403, 50007, "Cannot send messages to this user")
			}
		}
	}
	needed := sendPermission(ch)
	if len(b.files) > 0 {
		needed |= PermAttachFiles
	}
	if b.Reference != nil {
		needed |= PermReadHistory
	}
	if refused := s.botMay(ch, needed); refused != nil {
		return refused
	}
	if ch.archived && ch.locked {
		return fail(400, 50083, "Thread is archived")
	}
	if slow := time.Duration(ch.slow) * time.Second; s.permissions(ch, s.Bot)&PermBypassSlowMode == 0 && s.opts.Now().Sub(ch.last[s.Bot]) < slow {
		a := (&RateLimit{After: slow - s.opts.Now().Sub(ch.last[s.Bot])}).answer()
		a.body.(object)["code"], a.body.(object)["message"] = 20016, "This action cannot be performed due to slowmode rate limit"
		return a
	}
	return nil
}

// draft begins a message.
func (s *Server) draft(channelID, author string) *Message {
	at := s.actedAt(author)
	return &Message{ID: s.stampedID(at), order: s.lastID, ChannelID: channelID, GuildID: s.channels[channelID].guild,
		Author: *s.users[author], posted: at}
}

// apply puts a request's members into a message; the others stay.
func (s *Server) apply(m *Message, b *messageBody, flags int) problems {
	if b.present["content"] {
		m.Content = ""
		if b.Content != nil {
			m.Content = *b.Content
		}
	}
	if b.present["embeds"] {
		m.Embeds = b.Embeds
	}
	if b.present["components"] {
		m.Components = settle(b.Components)
	}
	var p problems
	flags |= m.Flags & FlagEphemeral // it stays so
	if b.present["flags"] {
		m.Flags = b.Flags | m.Flags&FlagEphemeral
	}
	s.attach(&p, m, b)
	m.mentions = readMentions(m.Content)
	return append(p, checkMessage(m, b, flags)...)
}

// attach keeps the attachments in a request's list, all without one, and adds its files.
func (s *Server) attach(p *problems, m *Message, b *messageBody) {
	var list []Attachment
	if !b.present["attachments"] {
		list = slices.Clone(m.Attachments)
	}
	listed := map[string]bool{}
	for _, a := range b.Attached {
		id := fileIndex(a.ID)
		p.add(listed[id], "attachments: the id %s is there twice", id)
		listed[id] = true
		kept := slices.IndexFunc(m.Attachments, func(old Attachment) bool { return old.ID == id })
		file := slices.IndexFunc(b.files, func(f upload) bool { return f.field == id })
		p.add(kept < 0 && file < 0, "attachments: id %s is neither a file of the form nor an attachment of the message", id)
		if kept >= 0 {
			list = append(list, m.Attachments[kept])
		}
	}
	for i, f := range b.files {
		p.add(b.present["attachments"] && b.Attached != nil && !listed[f.field], "attachments: files[%s] is not listed", f.field)
		if _, err := strconv.Atoi(f.field); err != nil {
			p.add(true, "attachments: files[%s]", f.field)
		}
		list = append(list, Attachment{ID: s.stampedID(s.opts.Now()), Name: f.name, Type: f.kind, Data: b.files[i].data})
	}
	m.Attachments = list
}

// post puts a message where it belongs and tells everybody.
func (s *Server) post(ch *channel, m *Message, allowed *allowedMentions) {
	replied := ""
	if to := s.messages[m.ReplyTo]; to != nil {
		replied = to.Author.ID
		if allowed == nil || allowed.Replied {
			m.mentions.users = unique(m.mentions.users, replied)
		}
	}
	m.Pings = s.pings(m, allowed, replied)
	s.messages[m.ID] = m
	ch.messages = append(ch.messages, m.ID)
	ch.last[m.Author.ID] = s.opts.Now()
	if ch.archived {
		ch.archived = false
		s.dispatch("THREAD_UPDATE", intentGuilds, ch.id, s.channelView(ch))
	}
	if !m.loading {
		s.dispatchMessage("MESSAGE_CREATE", m)
	}
	s.touch()
}
