package discord

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
)

// Reaction implements link.Events. Only the three that answer count, and only on a card;
// every other one is nothing, also no denial.
func (e events) Reaction(ctx context.Context, r link.Reaction) {
	verb, ok := message.ReadEmoji(r.Emoji)
	if !ok || e.s.own(r.UserID) || r.Member != nil && r.Member.User != nil && r.Member.User.Bot {
		return
	}
	find := func() *posted { return e.s.cardAt(r.ChannelID, r.MessageID) }
	life := e.s.living()
	if c, _ := e.s.cardOrLater(r.ChannelID, "an early reaction", find, func() { e.Reaction(life, r) }); c != nil {
		e.s.reacted(ctx, c, verb, r)
	}
}

// reacted is a reaction that answers a card.
func (s *Surface) reacted(ctx context.Context, c *posted, verb message.Verb, r link.Reaction) {
	f := c.of
	at := &attempt{
		via: viaReaction, f: f, card: c, channel: r.ChannelID, guild: r.GuildID, member: r.Member,
		user: &discordgo.User{ID: r.UserID}, age: s.c.Now().Sub(c.PostedAt),
	}
	if r.Member != nil && r.Member.User != nil {
		at.user = r.Member.User
	}
	if at.age < steady {
		// One that came at once has to be meant: it still stands when the card does.
		// The clock may have been set back since the card was posted.
		if !sleep(ctx, min(steady, steady-at.age)) || !s.reacts(ctx, c, r) {
			return
		}
		at.age = steady
	}
	a := f.now()
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

// reacts reports whether somebody's reaction still stands.
func (s *Surface) reacts(ctx context.Context, c *posted, r link.Reaction) bool {
	users, err := s.client.Reactions(ctx, c.Channel, c.Message, r.Emoji.Name)
	s.note("read the reactions of a card", err)
	return slices.ContainsFunc(users, func(u *discordgo.User) bool { return u.ID == r.UserID })
}

// said gives an answer to the gate that is no interaction: the card is edited, and
// whoever may not gets one short message.
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

// maxTold bounds how often somebody is told something in a message, for each ask.
const maxTold = 20

// hint answers somebody in a message below the card: once for each of them and ask, and
// one at a time in a channel, so that a crowd cannot keep its cards waiting.
func (s *Surface) hint(ctx context.Context, at *attempt, text string) {
	s.hintOnce(ctx, at, at.user.ID, text)
}

// hintOnce is hint for what is told beside the first refusal; key names the person and it.
func (s *Surface) hintOnce(ctx context.Context, at *attempt, key, text string) {
	f := at.f
	if _, busy := s.hints.LoadOrStore(at.channel, true); busy {
		return
	}
	defer s.hints.Delete(at.channel)
	f.mu.Lock()
	told := f.told[key] || len(f.told) >= maxTold
	if !told {
		f.told[key] = true
	}
	f.mu.Unlock()
	if told || at.card == nil {
		return
	}
	s.note("answer a reaction or a reply", s.below(ctx, at.card.Channel, at.card.Message, at.user.ID, text))
}

// below tells an account something in a message below a card, which all there can read.
// Nobody is pinged.
func (s *Surface) below(ctx context.Context, channel, card, account, text string) error {
	m := message.Ephemeral("<@" + account + "> " + text)
	m.Flags &^= discordgo.MessageFlagsEphemeral
	m.Reference = &discordgo.MessageReference{MessageID: card, ChannelID: channel}
	_, err := s.client.Post(ctx, channel, m)
	return err
}
