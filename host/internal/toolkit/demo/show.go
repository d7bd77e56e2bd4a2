package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// answer shows a card, has it answered, and shows the result.
func (r *room) answer(ctx context.Context, card discordtest.Message) error {
	ctx, cancel := context.WithTimeout(ctx, 2*r.o.Patience+2*slow)
	defer cancel()
	a, err := r.asks.Get(ctx, subject(card))
	if err != nil {
		return err
	}
	r.asked = a.ID
	if r.o.Keyboard == nil {
		answer := demoApprover(a)
		return r.byAlice(ctx, card, r.wayFor(a, answer), answer.Reason)
	}
	r.post(card)
	done, err := r.person(ctx, card)
	if err == nil && !done {
		answer := demoApprover(a)
		err = r.wayFor(a, answer).do(ctx, r, card, answer.Reason)
	}
	if err != nil {
		return err
	}
	after, err := r.settled(ctx, card)
	if err != nil {
		return err
	}
	return r.offerUndo(ctx, after)
}

// byAlice has alice answer a card in some way. Repetitions are shown in short.
func (r *room) byAlice(ctx context.Context, card discordtest.Message, w way, reason string) error {
	if r.known[w.name] {
		if !r.short {
			r.short = true
			fmt.Fprintln(r.o.Out, "\n(Cards that are answered in a way that stands above are told in short from here on.)")
		}
		fmt.Fprintf(r.o.Out, "\nThe bot posts: %s\n", firstLine(card, time.Now()))
		if err := w.do(ctx, r, card, reason); err != nil {
			return err
		}
		after, err := r.server.WaitEdit(ctx, card.ID, ended)
		fmt.Fprintf(r.o.Out, "The card now says: %s\n", firstLine(after, time.Now()))
		return err
	}
	r.known[w.name] = true
	r.post(card)
	if err := r.intrusion(ctx, card); err != nil {
		return err
	}
	if err := w.do(ctx, r, card, reason); err != nil {
		return err
	}
	_, err := r.settled(ctx, card)
	return err
}

// post prints a card as it came.
func (r *room) post(card discordtest.Message) {
	fmt.Fprintf(r.o.Out, "\nThe bot posts in Discord:\n%s", framed(drawn(card, time.Now())))
}

// settled waits until a card shows the end of its ask, and prints it.
func (r *room) settled(ctx context.Context, card discordtest.Message) (discordtest.Message, error) {
	after, err := r.server.WaitEdit(ctx, card.ID, ended)
	if err == nil {
		fmt.Fprintf(r.o.Out, "The card now says:\n%s", framed(drawn(after, time.Now())))
	}
	return after, err
}

// ended reports that a card cannot be answered any more.
func ended(m discordtest.Message) bool { return len(m.Components) == 0 }

// says prints a person's action.
func (r *room) says(who someone, format string, args ...any) {
	fmt.Fprintf(r.o.Out, "%s %s\n", who.name, fmt.Sprintf(format, args...))
}

// tells prints a message to one person.
func (r *room) tells(who someone, m discordtest.Message) {
	fmt.Fprintf(r.o.Out, "Only %s see%s:\n%s", who.name, map[bool]string{false: "s"}[who == r.you], framed(drawn(m, time.Now())))
}
