package demo

import (
	"context"
	"errors"
	"slices"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

func pressed(verb message.Verb) way {
	return way{string(verb), func(ctx context.Context, r *room, card discordtest.Message, _ string) error {
		r.heard[byButton]++
		_, err := r.press(ctx, r.alice, card, verb)
		return err
	}}
}

func reacted(emoji string) way {
	return way{emoji, func(_ context.Context, r *room, card discordtest.Message, _ string) error {
		r.heard[byReaction]++
		r.says(r.alice, "reacts with %s.", emoji)
		return r.alice.React(card.ID, emoji)
	}}
}

func replied(text string) way {
	return way{"reply", func(_ context.Context, r *room, card discordtest.Message, _ string) error {
		r.heard[byReply]++
		r.says(r.alice, "replies: %s", text)
		_, err := r.alice.Reply(card.ID, text)
		return err
	}}
}

// refused replies with the reason.
func refused(ctx context.Context, r *room, card discordtest.Message, reason string) error {
	return replied("no, "+reason).do(ctx, r, card, "")
}

// reasoned fills in the form for a reason.
func reasoned(ctx context.Context, r *room, card discordtest.Message, reason string) error {
	r.heard[byForm]++
	form, err := r.pick(ctx, r.alice, card, message.ValueReason)
	if err != nil {
		return err
	}
	return r.fill(ctx, r.alice, form, message.InputReason, reason)
}

// confirmed approves what counts only with the ask's id typed.
func confirmed(ctx context.Context, r *room, card discordtest.Message, _ string) error {
	r.heard[byForm]++
	form, err := r.press(ctx, r.alice, card, message.VerbApprove)
	if err != nil {
		return err
	}
	return r.fill(ctx, r.alice, form, message.InputID, subject(card))
}

// pick chooses an entry of the card's menu; without a value the first one, a rule.
func (r *room) pick(ctx context.Context, who someone, card discordtest.Message, value string) (*discordtest.Seen, error) {
	list := parts(card)
	at := slices.IndexFunc(list, func(p part) bool {
		return p.verb == message.VerbRule && (p.option == value || value == "" && !p.plain())
	})
	if at < 0 {
		return nil, errors.New("the card has no such entry in its menu")
	}
	return r.use(ctx, who, card.ID, list[at])
}

// ruled approves and stores the first rule of the menu, after its whole text was shown
// where the menu has no room for it.
func ruled(ctx context.Context, r *room, card discordtest.Message, _ string) error {
	r.heard[byMenu]++
	seen, err := r.pick(ctx, r.alice, card, "")
	if err != nil || seen.Message == nil || seen.Message.For == "" {
		return err
	}
	_, err = r.press(ctx, r.alice, *seen.Message, message.VerbStore)
	return err
}

// takenBack stores a rule, and takes it back by the message that offers that.
func takenBack(ctx context.Context, r *room, card discordtest.Message, _ string) error {
	if err := ruled(ctx, r, card, ""); err != nil {
		return err
	}
	offer, err := r.undoOffer(ctx, r.alice, subject(card))
	if err != nil {
		return err
	}
	r.tells(r.alice, offer)
	return r.undo(ctx, r.alice, offer, card.ID)
}

// undoOffer waits for the message that offers somebody to take an answer's rules back.
func (r *room) undoOffer(ctx context.Context, who someone, id string) (discordtest.Message, error) {
	return r.server.WaitMessage(ctx, func(m discordtest.Message) bool {
		return m.For == who.ID && subject(m) == id && slices.ContainsFunc(parts(m), func(p part) bool { return p.verb == message.VerbUndo })
	})
}

// undo takes rules back, and waits until the card says so.
func (r *room) undo(ctx context.Context, who someone, offer discordtest.Message, cardID string) error {
	before, err := r.server.WaitEdit(ctx, cardID, ended)
	if err != nil {
		return err
	}
	if _, err := r.press(ctx, who, offer, message.VerbUndo); err != nil {
		return err
	}
	_, err = r.server.WaitEdit(ctx, cardID, func(m discordtest.Message) bool { return m.Edits > before.Edits })
	return err
}
