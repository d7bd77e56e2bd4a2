package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// decide gives an answer that was authorised to the gate: the first one wins, in the
// store. Nothing of it ends with the click. The cards are brought up to date afterwards.
func (s *Surface) decide(ctx context.Context, at *attempt) (ask.AnswerResult, error) {
	d := at.d
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	s.decideOthers(ctx, at)
	if at.besides {
		return ask.AnswerResult{Ask: d.now()}, nil
	}
	if at.list {
		at.answer.Together = at.answered + 1
	}
	d.mu.Lock()
	d.deciding++
	d.mu.Unlock()
	s.markSeen(at.channel, at.actor.Name)
	var out ask.AnswerResult
	err := errFault
	defer func() { d.decided(out, err) }() // also after a panic
	out, err = s.c.Gate.Answer(ctx, d.id, at.answer)
	return out, err
}

// errFault stands for an answer of which it is not known what became.
var errFault = errors.New("the answer was not recorded")

// decided takes over what became of an answer.
func (d *display) decided(out ask.AnswerResult, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.deciding--
	defer d.stir()
	var settled *ask.SettledError
	switch {
	case errors.As(err, &settled):
		if d.ask.State.Waiting() {
			d.become(settled.Ask)
		}
	case err == nil && !out.Ask.State.Waiting():
		d.become(out.Ask)
		d.rules, d.known, d.notes = out.Rules, true, slices.Clone(out.Notes)
		if n := len(out.AlsoAnswered); n == 1 {
			d.notes = append(d.notes, "One more ask was answered by it.")
		} else if n > 1 {
			d.notes = append(d.notes, fmt.Sprintf("%d more asks were answered by it.", n))
		}
	}
}

// markSeen tells the broker which cards are before a person who answers one of them: a rule that
// they accept answers the others, too.
func (s *Surface) markSeen(channel, name string) {
	s.mu.Lock()
	var ids []string
	for _, c := range s.cards {
		if c.Channel == channel {
			ids = append(ids, c.Ask)
		}
	}
	s.mu.Unlock()
	for _, id := range ids {
		s.c.Asks.MarkSeen(id, name)
	}
}

// sentence says why the gate did not take an answer, to name, who gave it.
func sentence(err error, name string) string {
	var not *ask.NotApproverError
	var settled *ask.SettledError
	switch {
	case errors.As(err, &not):
		return message.MayNot(name, not.Reason)
	case errors.As(err, &settled):
		return ended(settled.Ask)
	case errors.Is(err, ask.ErrNotShown):
		return "This ask is queued again: answer the one before it first."
	case errors.Is(err, ask.ErrUnconfirmed):
		return "This approval has to be confirmed by typing the id of the ask: press Allow once on the card."
	case errors.Is(err, ask.ErrUnknown):
		return "This gate knows no such ask."
	}
	return "Nothing was decided: " + message.Code(err.Error())
}

// ended says how an ask has ended, to a person who comes late.
func ended(a ask.Ask) string {
	return "You come too late. " + message.Code((&ask.SettledError{Ask: a}).Error())
}
