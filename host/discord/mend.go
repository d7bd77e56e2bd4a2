package discord

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/store"
)

// mend gives their final text to the cards of asks that ended while nobody looked after
// them, and takes up asks that wait and nobody shows.
func (s *Surface) mend(ctx context.Context) {
	rows, err := s.c.Store.UnfinishedCards(ctx)
	s.note("read the open cards", err)
	some(ctx, s, rows, s.mendOne)
}

func (s *Surface) mendOne(ctx context.Context, row store.Card) {
	if s.follower(row.Ask) != nil {
		return
	}
	a, err := s.c.Asks.Get(ctx, row.Ask)
	switch {
	case errors.Is(err, ask.ErrUnknown):
		s.note("finish a card", s.c.Store.FinishCard(ctx, row.Message, s.c.Now())) // retention removed its ask
	case err != nil:
		s.note("look up the ask of a card", err)
	case a.State.Waiting():
		s.show(a)
	default:
		s.finish(ctx, row, a)
	}
}

// mendFor is how long the final text of a card is tried.
const mendFor = 24 * time.Hour

// finish gives a card its final text, and says nothing more of one that it cannot give.
func (s *Surface) finish(ctx context.Context, row store.Card, a ask.Ask) {
	body := row.Body
	rules, err := s.c.Gate.RulesOf(ctx, a.ID)
	s.note("look up the rules of an answer", err)
	if body == "" {
		if m, err := s.client.Message(ctx, row.Channel, row.Message); err == nil {
			body = message.BodyOf(m.Content)
		}
	}
	m := message.Ended(body, a, rules)
	if message.Attaches(body) { // the input to mask is gone with the end of the ask
		m = message.Ended(body, a, rules, filesGone).Instead(nil)
	}
	_, err = s.client.Edit(ctx, row.Channel, row.Message, m)
	if err != nil && !lasting(err) && s.c.Now().Sub(row.PostedAt) < mendFor {
		s.note(fmt.Sprintf("edit the card of ask %s", a.ID), err)
		return
	}
	s.note("finish a card", s.c.Store.FinishCard(context.WithoutCancel(ctx), row.Message, s.c.Now()))
}
