package discord

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
)

// decide gives an answer that was authorised to the gate: the first one wins, in the
// store. Nothing of it ends with the click. The cards are brought up to date afterwards.
func (s *Surface) decide(ctx context.Context, at *attempt) (gate.Answered, error) {
	f := at.f
	f.mu.Lock()
	f.deciding++
	f.mu.Unlock()
	s.markSeen(at.channel, at.actor.Name)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var out gate.Answered
	err := errFault
	defer func() { f.decided(out, err) }() // also after a panic
	out, err = s.c.Gate.Answer(ctx, f.id, at.answer)
	return out, err
}

// errFault stands for an answer of which it is not known what became.
var errFault = errors.New("the answer was not recorded")

// decided takes over what became of an answer.
func (f *follower) decided(out gate.Answered, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deciding--
	defer f.stir()
	var settled *ask.SettledError
	switch {
	case errors.As(err, &settled):
		if f.ask.State.Waiting() {
			f.ask, f.rev = settled.Ask, f.rev+1
		}
	case err == nil && !out.Ask.State.Waiting():
		f.ask, f.rules, f.known, f.notes, f.rev = out.Ask, out.Rules, true, slices.Clone(out.Notes), f.rev+1
		if n := len(out.AlsoAnswered); n == 1 {
			f.notes = append(f.notes, "One more ask was answered by it.")
		} else if n > 1 {
			f.notes = append(f.notes, fmt.Sprintf("%d more asks were answered by it.", n))
		}
	}
}

// markSeen tells the broker which cards somebody has before them who answers one of them:
// a rule that they accept answers these, too.
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
		return "This approval has to be confirmed by typing the id of the ask: press Approve on the card."
	case errors.Is(err, ask.ErrUnknown):
		return "This gate knows no such ask."
	}
	return "Nothing was decided: " + message.Code(err.Error())
}

// ended says how an ask has ended, to somebody who comes late.
func ended(a ask.Ask) string {
	return "You come too late. " + message.Code((&ask.SettledError{Ask: a}).Error())
}
