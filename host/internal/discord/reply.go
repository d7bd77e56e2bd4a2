package discord

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// Message implements link.Events. Text answers only as a reply to a card, or with the
// id of the ask where its card stands; it approves once or denies, nothing else.
func (e events) Message(ctx context.Context, m *discordgo.Message) {
	if m.Author == nil || m.Author.Bot || m.Author.System || m.WebhookID != "" || e.s.own(m.Author.ID) {
		return
	}
	if m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply {
		return
	}
	replied := m.Type == discordgo.MessageTypeReply && m.MessageReference != nil
	r, ok := message.ReadReply(m.Content)
	find := func() *card { return e.answers(m, replied, r) }
	var c *card
	if replied {
		life, held := e.s.living(), false
		if c, held = e.s.cardOrLater(m.ChannelID, "an early reply", find, func() { e.Message(life, m) }); held {
			return
		}
	} else {
		c = find()
	}
	switch {
	case c == nil:
		if ok && replied {
			e.s.lateReply(ctx, m, r)
		}
	case m.Content == "" && len(m.Attachments) == 0:
		e.s.unreadable(ctx, c, m)
	case ok:
		e.s.replied(ctx, c, m, r)
	default:
		e.s.misread(ctx, c, m)
	}
}

// lateReply explains the end of an ask to people answering a card with its final text: once a
// day to each person and card, if they might have answered it; a crowd of others gets no
// message.
func (s *Surface) lateReply(ctx context.Context, m *discordgo.Message, r message.Reply) {
	c, err := s.c.Store.Card(ctx, m.MessageReference.MessageID)
	if err != nil || c.Channel != m.ChannelID || r.AskID != "" && r.AskID != c.Ask {
		return // no card of ours, or the id of another ask: nothing is guessed
	}
	a, err := s.c.Asks.Get(ctx, c.Ask)
	if err != nil || a.State.Waiting() {
		return
	}
	actor, err := s.members.Who(ctx, m.GuildID, m.Member, m.Author)
	if err != nil || mayAnswer(a, actor, r.Verdict) != "" {
		return
	}
	if _, again := s.lateTold.LoadOrStore(c.Message+" "+m.Author.ID, true); again {
		return
	}
	s.note("answer a late reply", s.below(ctx, c.Channel, c.Message, m.Author.ID, ended(a)))
}

// misread lists, once for each person and ask, the answering texts.
func (s *Surface) misread(ctx context.Context, c *card, m *discordgo.Message) {
	at := &attempt{d: c.of, card: c, channel: m.ChannelID, user: m.Author}
	s.hintOnce(ctx, at, "misread "+m.Author.ID, "This was not understood, and nothing was decided. \"yes\" alone approves; \"no\" denies, with a reason behind it if you like.")
}

// answers is the card a message is about; nil for none.
func (e events) answers(m *discordgo.Message, replied bool, r message.Reply) *card {
	if replied {
		c := e.s.cardAt(m.ChannelID, m.MessageReference.MessageID)
		if c != nil && r.AskID != "" && r.AskID != c.Ask {
			return nil // a reply to one card with the id of another: nothing is guessed
		}
		return c
	}
	if r.AskID == "" {
		return nil
	}
	d := e.s.display(r.AskID)
	if d == nil {
		return nil
	}
	return d.cardIn(m.ChannelID)
}

// replied processes a text in answer to a card.
func (s *Surface) replied(ctx context.Context, c *card, m *discordgo.Message, r message.Reply) {
	s.said(ctx, &attempt{
		via: viaReply, d: c.of, card: c, channel: m.ChannelID, guild: m.GuildID, member: m.Member, user: m.Author, age: apart(m.ID, c.Message),
		answer: ask.Answer{Verdict: r.Verdict, Reason: cut(r.Reason, maxReason)},
	})
}

// maxReason is the broker's limit on a reason, in bytes.
const maxReason = 2000

// cut takes at most n bytes from the front of a text, and no half of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}

// unreadable says, once in a channel, that the bot may not read people's messages.
func (s *Surface) unreadable(ctx context.Context, c *card, m *discordgo.Message) {
	s.mu.Lock()
	said := s.unread[m.ChannelID] || len(s.unread) >= maxRemembered
	s.unread[m.ChannelID] = true
	s.mu.Unlock()
	if said {
		return
	}
	at := &attempt{d: c.of, card: c, user: m.Author}
	s.hint(ctx, at, "I cannot read this: Discord shows me a message here only when it mentions me. Mention me in the reply, or use the buttons.")
}
