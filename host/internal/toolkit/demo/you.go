package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// keys are those that a person presses, in the order of what stands on a card.
const keys = "123456789abcdefghijklmnopqrstuvwxyz"

// person lets the one at the keyboard answer a card; done is false when they did not
// within the patience they get.
func (r *room) person(ctx context.Context, card discordtest.Message) (done bool, err error) {
	asking, cancel := context.WithTimeout(ctx, r.o.Patience)
	defer cancel()
	go func() { // nobody is asked about a card that has ended
		defer cancel()
		_, _ = r.server.WaitEdit(asking, card.ID, ended) // or asking is over
	}()
	for on := card; ; { // what the keys are for: the card, or what it led to
		p, ok := r.choose(asking, parts(on))
		if !ok {
			break
		}
		seen, err := r.use(ctx, r.you, on.ID, p)
		if err != nil {
			return false, err
		}
		if seen.Modal != nil && !r.fillByHand(ctx, asking, seen) {
			break
		}
		now, _ := r.server.Message(card.ID)
		if r.over(ctx, card) {
			r.heard[kindOf(p)]++
			r.mayUndo = p.verb == message.VerbSession || p.verb == message.VerbRule && !p.plain() || p.verb == message.VerbStore
			return true, nil
		}
		on = now
		if m := seen.Message; m != nil && m.For != "" && len(parts(*m)) > 0 {
			on = *m // the rule to be stored, with its whole text
		}
	}
	if ctx.Err() != nil || r.over(ctx, card) {
		return true, ctx.Err()
	}
	fmt.Fprintf(r.o.Out, "No answer within %s: alice, the demo's own approver, answers.\n", r.o.Patience)
	return false, nil
}

// over tells that the ask of a card has ended; the card may say so a moment later.
func (r *room) over(ctx context.Context, card discordtest.Message) bool {
	a, err := r.asks.Get(ctx, subject(card))
	return err == nil && !a.State.Waiting()
}

// kindOf is the way that the summary counts.
func kindOf(p part) string {
	switch {
	case p.option == message.ValueReason:
		return byForm
	case p.option != "" || p.verb == message.VerbStore:
		return byMenu
	}
	return byButton
}

// choose shows which key is for what, and waits for one.
func (r *room) choose(ctx context.Context, list []part) (part, bool) {
	list = list[:min(len(list), len(keys))]
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = keys[i : i+1]
		fmt.Fprintf(r.o.Out, "  %s  %s\n", names[i], p)
	}
	key, ok := r.o.Keyboard.Key(ctx, "Your key: ", names)
	if !ok {
		return part{}, false
	}
	return list[strings.Index(keys, key)], true
}

// fillByHand fills a form in with what the person types; false when they type nothing.
// Our forms have one input each.
func (r *room) fillByHand(ctx, asking context.Context, form *discordtest.Seen) bool {
	for _, row := range form.Modal.Components {
		for _, input := range row.Components {
			text, ok := r.o.Keyboard.Line(asking, input.Label+": ")
			if !ok {
				return false
			}
			if err := r.fill(ctx, r.you, form, input.CustomID, text); err != nil {
				fmt.Fprintf(r.o.Out, "The form was not sent: %v.\n", err)
			}
		}
	}
	return true
}

// offerUndo lets the person take back the rules that their answer stored.
func (r *room) offerUndo(ctx context.Context, card discordtest.Message) error {
	if !r.mayUndo {
		return nil
	}
	r.mayUndo = false
	if rules, err := r.rulesOf(ctx, r.asked); err != nil || len(rules) == 0 {
		return err
	}
	offer, err := r.undoOffer(ctx, r.you, r.asked)
	if err != nil {
		return err
	}
	r.tells(r.you, offer)
	asking, done := context.WithTimeout(ctx, r.o.Patience)
	defer done()
	goOn := part{label: "go on"}
	if p, ok := r.choose(asking, append(parts(offer), goOn)); !ok || p == goOn {
		return nil
	}
	return r.undo(ctx, r.you, offer, card.ID)
}
