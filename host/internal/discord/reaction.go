package discord

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// Reaction implements link.Events. Only the three answering ones count, and only on a card;
// every other one is nothing, also no denial.
func (e events) Reaction(ctx context.Context, r link.Reaction) {
	verb, ok := message.ReadEmoji(r.Emoji)
	if !ok || e.s.own(r.UserID) || r.Member != nil && r.Member.User != nil && r.Member.User.Bot {
		return
	}
	find := func() *card { return e.s.cardAt(r.ChannelID, r.MessageID) }
	life := e.s.living()
	if c, _ := e.s.cardOrLater(r.ChannelID, "an early reaction", find, func() { e.Reaction(life, r) }); c != nil {
		e.s.reacted(ctx, c, verb, r)
	}
}

// reacted processes a reaction in answer to a card.
func (s *Surface) reacted(ctx context.Context, c *card, verb message.Verb, r link.Reaction) {
	d := c.of
	at := &attempt{
		via: viaReaction, d: d, card: c, channel: r.ChannelID, guild: r.GuildID, member: r.Member,
		user: &discordgo.User{ID: r.UserID}, age: s.c.Now().Sub(c.PostedAt),
	}
	if r.Member != nil && r.Member.User != nil {
		at.user = r.Member.User
	}
	if at.age < steady {
		// An immediate one has to be meant: it is still there after a while. The clock may have
		// been set back since the card was posted.
		if !sleep(ctx, min(steady, steady-at.age)) || !s.reacts(ctx, c, r) {
			return
		}
		at.age = steady
	}
	a := d.now()
	switch verb {
	case message.VerbApprove:
		at.answer.Verdict = ask.Approve
	case message.VerbDeny:
	case message.VerbSession:
		choice, ok := message.SessionChoice(a)
		if !ok && !needsID(a, c) {
			s.hint(ctx, at, "Nothing can be allowed for the session here. Use the buttons of the card.")
			return
		}
		at.answer = choice.Answer
		at.answer.Verdict = ask.Approve // where it needs a confirmation, the hint says so
	default:
		return
	}
	s.said(ctx, at)
}

// reacts reports whether a person's reaction is still there.
func (s *Surface) reacts(ctx context.Context, c *card, r link.Reaction) bool {
	users, err := s.client.Reactions(ctx, c.Channel, c.Message, r.Emoji.Name)
	s.note("read the reactions of a card", err)
	return slices.ContainsFunc(users, func(u *discordgo.User) bool { return u.ID == r.UserID })
}

// said gives the gate an answer without an interaction: the card is edited, and a person
// without the right gets one short message.
func (s *Surface) said(ctx context.Context, at *attempt) {
	if r := s.authorise(ctx, at); r != nil {
		if !r.silent {
			s.hint(ctx, at, r.text)
		}
		return
	}
	if _, err := s.decide(ctx, at); err != nil {
		s.hint(ctx, at, sentence(err, at.actor.Name))
	}
}

// maxTold bounds the messages to one person, for each ask.
const maxTold = 20

// hint answers a person in a message below the card: once for each of them and ask, and one at
// a time in a channel, so a crowd cannot delay its cards.
func (s *Surface) hint(ctx context.Context, at *attempt, text string) {
	s.hintOnce(ctx, at, at.user.ID, text)
}

// hintOnce is hint for texts beside the first refusal; key names the person and the text.
func (s *Surface) hintOnce(ctx context.Context, at *attempt, key, text string) {
	d := at.d
	if _, busy := s.hints.LoadOrStore(at.channel, true); busy {
		return
	}
	defer s.hints.Delete(at.channel)
	d.mu.Lock()
	told := d.told[key] || len(d.told) >= maxTold
	if !told {
		d.told[key] = true
	}
	d.mu.Unlock()
	if told || at.card == nil {
		return
	}
	s.note("answer a reaction or a reply", s.below(ctx, at.card.Channel, at.card.Message, at.user.ID, text))
}

// below sends an account a message below a card, readable by all there, without a ping.
func (s *Surface) below(ctx context.Context, channel, card, account, text string) error {
	m := message.Ephemeral("<@" + account + "> " + text + "\n-# Everyone in this channel can read this answer.")
	m.Flags &^= discordgo.MessageFlagsEphemeral
	m.Reference = &discordgo.MessageReference{MessageID: card, ChannelID: channel}
	_, err := s.client.Post(ctx, channel, m)
	return err
}
