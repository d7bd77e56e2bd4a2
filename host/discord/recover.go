package discord

import (
	"context"
	"errors"
	"sync"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/message"
)

// atOnce bounds how many cards are looked at together.
const atOnce = 16

// sweep looks at all open cards: events about them may have been missed.
func (s *Surface) sweep(ctx context.Context) {
	s.mu.Lock()
	cards := make([]*posted, 0, len(s.cards))
	for _, c := range s.cards {
		cards = append(cards, c)
	}
	s.mu.Unlock()
	some(ctx, s, cards, func(ctx context.Context, c *posted) { c.of.look(ctx, c) })
}

// some does f with each of a list, a few at a time, and returns when all are done or ctx
// has ended.
func some[T any](ctx context.Context, s *Surface, list []T, f func(context.Context, T)) {
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	defer all.Wait()
	for _, one := range list {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		all.Go(func() {
			defer func() { <-slots }()
			s.contained("the cards of before", func() { f(ctx, one) })
		})
	}
}

// look reads a card anew: whether it is there, whether it says what we wrote, and who has
// reacted meanwhile. Denials come first.
func (f *follower) look(ctx context.Context, c *posted) {
	m, err := f.s.client.Message(ctx, c.Channel, c.Message)
	switch {
	case errors.Is(err, link.ErrGone):
		f.deleted(c)
		return
	case err != nil:
		f.s.note("read a card again", err)
		return
	case !f.waiting() || !f.stands(ctx, c, m):
		return
	}
	for _, emoji := range []string{emojiDeny, emojiApprove, emojiSession} {
		if reacted(m, emoji) {
			f.catchUp(ctx, c, m.GuildID, emoji)
		}
	}
}

// reacted reports whether anybody but the bot reacted with an emoji.
func reacted(m *discordgo.Message, emoji string) bool {
	for _, r := range m.Reactions {
		if r == nil || r.Emoji == nil || r.Emoji.ID != "" || r.Emoji.Name != emoji {
			continue
		}
		own := 0
		if r.Me {
			own = 1
		}
		return r.Count > own
	}
	return false
}

// catchUp takes reactions for answers whose events were missed.
func (f *follower) catchUp(ctx context.Context, c *posted, guild, emoji string) {
	users, err := f.s.client.Reactions(ctx, c.Channel, c.Message, emoji)
	f.s.note("read the reactions of a card", err)
	verb, _ := message.ReadEmoji(discordgo.Emoji{Name: emoji})
	if guild == "" && !c.direct() {
		guild = string(f.s.settings.Server) // a message that was asked for does not say it
	}
	for _, u := range users {
		if !f.waiting() {
			return
		}
		if !u.Bot && !f.s.own(u.ID) {
			f.s.reacted(ctx, c, verb, link.Reaction{UserID: u.ID, ChannelID: c.Channel, MessageID: c.Message, GuildID: guild, Emoji: discordgo.Emoji{Name: emoji}})
		}
	}
}

// Edited implements link.Events: only we edit our cards. What came is looked at again,
// for events may be old or say only a part.
func (e events) Edited(ctx context.Context, m *discordgo.Message) {
	c := e.s.cardAt(m.ChannelID, m.ID)
	if c == nil || !c.of.waiting() || m.Content != "" && c.of.admits(c, m) {
		return
	}
	now, err := e.s.client.Message(ctx, c.Channel, c.Message)
	if err != nil {
		e.s.note("read a card that was edited", err)
		return
	}
	c.of.stands(ctx, c, now)
}

// Deleted implements link.Events.
func (e events) Deleted(_ context.Context, channel, id string) {
	find := func() *posted { return e.s.cardAt(channel, id) }
	again := func() { e.Deleted(context.Background(), channel, id) }
	if c, _ := e.s.cardOrLater(channel, "an early deletion", find, again); c != nil {
		c.of.deleted(c)
	}
}
