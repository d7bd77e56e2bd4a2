package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// The ways in which an answer is given, as the summary counts them.
const (
	byButton   = "button"
	byMenu     = "menu"
	byForm     = "form"
	byReaction = "reaction"
	byReply    = "reply"
)

// way is how alice gives an answer; reason is why she denies.
type way struct {
	name string
	do   func(ctx context.Context, r *room, card discordtest.Message, reason string) error
}

// rotation remembers which ways had their turn.
type rotation struct{ denied, ruled, plain int }

func turn(n *int, ways ...way) way {
	*n++
	return ways[(*n-1)%len(ways)]
}

// wayFor takes the ways in turn, so that the sessions show them all.
func (r *room) wayFor(a ask.Ask, answer ask.Answer) way {
	switch {
	case harmless(a):
		return way{"confirmed", confirmed}
	case answer.Verdict != ask.Approve:
		return turn(&r.ways.denied, way{"reasoned", reasoned}, reacted("❌"), way{"refused", refused}, pressed(message.VerbDeny))
	case len(answer.Sets) > 0 && len(message.Offers(a)) > 0:
		session, unlock := pressed(message.VerbSession), reacted("🔓")
		if _, ok := message.SessionChoice(a); !ok { // its rule has no room on a button
			session, unlock = way{"ruled", ruled}, way{"ruled", ruled}
		}
		return turn(&r.ways.ruled, session, way{"ruled", ruled}, reacted("✅"), way{"ruled", ruled},
			replied("yes"), pressed(message.VerbApprove), way{"taken back", takenBack}, unlock)
	}
	return turn(&r.ways.plain, pressed(message.VerbApprove), reacted("✅"), replied("yes"))
}

// intrusion is what eve tries before the first answer: she may not.
func (r *room) intrusion(ctx context.Context, card discordtest.Message) error {
	if r.eveIn {
		return nil
	}
	r.eveIn = true
	_, err := r.press(ctx, r.eve, card, message.VerbApprove)
	return err
}

// harmless is a safety check that a person who has read the card may pass: it is about
// files of the project alone, and all of it stands on the card.
func harmless(a ask.Ask) bool {
	return a.Decision.Safety() && !a.Long() && a.Decision.Stage != engine.StageError &&
		len(a.Targets) > 0 && !slices.ContainsFunc(a.Targets, func(t engine.Target) bool { return t.Kind != "path" || t.Inside == "" })
}

// press clicks a button of a card, and shows what its presser alone is told.
func (r *room) press(ctx context.Context, who someone, card discordtest.Message, verb message.Verb) (*discordtest.Seen, error) {
	list := parts(card)
	at := slices.IndexFunc(list, func(p part) bool { return p.verb == verb && p.button != "" })
	if at < 0 {
		return nil, fmt.Errorf("the card has no button to %s", verb)
	}
	return r.use(ctx, who, card.ID, list[at])
}

// use presses a button or chooses an option.
func (r *room) use(ctx context.Context, who someone, messageID string, p part) (*discordtest.Seen, error) {
	var seen *discordtest.Seen
	var err error
	if p.button != "" {
		r.says(who, "press%s [%s].", r.third(who, "es"), p.label)
		seen, err = who.Click(ctx, messageID, p.button)
	} else {
		r.says(who, "choose%s in the menu: %s", r.third(who, "s"), p.label)
		seen, err = who.Select(ctx, messageID, p.option)
	}
	if err == nil {
		r.show(who, seen)
	}
	return seen, err
}

// third is the ending of a verb that somebody does, and you do not have.
func (r *room) third(who someone, ending string) string {
	if who == r.you {
		return ""
	}
	return ending
}

// show prints what an answer shows one person alone.
func (r *room) show(who someone, seen *discordtest.Seen) {
	switch {
	case seen.Modal != nil:
		fmt.Fprintf(r.o.Out, "A form opens:\n%s", framed("  "+seen.Modal.String()))
	case seen.Message != nil && seen.Message.For != "":
		r.tells(who, *seen.Message)
	}
}

// fill sends a form.
func (r *room) fill(ctx context.Context, who someone, form *discordtest.Seen, input, text string) error {
	if form.Modal == nil {
		return fmt.Errorf("no form came")
	}
	r.says(who, "type%s: %s", r.third(who, "s"), text)
	seen, err := who.Submit(ctx, form, map[string]string{input: text})
	if err == nil {
		r.show(who, seen)
	}
	return err
}
