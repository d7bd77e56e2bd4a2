package discord

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/member"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
)

// answerTime is how long after it came in a click gets its answer at the latest: Discord
// takes one for three seconds. What is decided later is told by an edit.
const answerTime = 2 * time.Second

// outcome is what became of an answer.
type outcome struct {
	gate.Answered
	err error
}

// own are the rules that the answer stored and that were not there before: those that
// can be taken back.
func (o outcome) own() []engine.Rule {
	var out []engine.Rule
	for _, r := range o.Rules {
		if r.Source == gate.SourceOfAsk(o.Ask.ID) {
			out = append(out, r)
		}
	}
	return out
}

// answer gives what was pressed to the gate, if whoever pressed it may, and tells Discord
// afterwards: the decision stands whatever becomes of that.
func (s *Surface) answer(ctx context.Context, p *press) {
	if r := s.authorise(ctx, p.at); r != nil {
		s.refuse(ctx, p, r)
		return
	}
	f, c := p.at.f, p.at.card
	ours := p.at.seen != nil && f.claim(c) // the answer can be the card itself, made new
	decided := make(chan outcome, 1)
	s.spawn("an answer", func() {
		o := outcome{err: errFault}
		defer func() { decided <- o }()
		o.Answered, o.err = s.decide(ctx, p.at)
	})
	limit := time.NewTimer(answerTime - s.c.Now().Sub(p.i.Received))
	defer limit.Stop()
	select {
	case o := <-decided:
		s.answered(ctx, p, o, ours)
	case <-limit.C:
		deferred := s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseDeferredMessageUpdate})
		ctx = s.living() // other clicks need not wait for this one
		s.spawn("an answer that takes long", func() {
			o := <-decided
			if ours {
				f.release(c, true)
			}
			if deferred {
				s.afterwards(ctx, p, o)
			}
		})
	}
}

// answered tells Discord what became of an answer, in the answer to the click.
func (s *Surface) answered(ctx context.Context, p *press, o outcome, ours bool) {
	f, c := p.at.f, p.at.card
	switch {
	case o.err != nil:
		if ours {
			f.release(c, false)
		}
		s.tell(ctx, p.i, said(o, p.at.actor.Name))
	case !ours:
		s.beside(ctx, p, o)
	case s.remade(ctx, p, o):
		s.offerUndo(ctx, p, o)
	}
}

// remade makes the card new in the answer to the click. Where Discord does not take it,
// the card is edited, and the rest is told by further messages.
func (s *Surface) remade(ctx context.Context, p *press, o outcome) bool {
	f, c := p.at.f, p.at.card
	m := f.content(ctx, c, o.Ask)
	masks := !o.Ask.State.Waiting() && !c.whole
	if masks {
		m = m.Instead(nil) // what is attached is unmasked; edit puts the masked files there
	}
	digest := message.Digest(m.Content)
	f.admit(c, digest, o.Ask.State.Waiting())
	if m.Check() != nil || !s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}) {
		f.release(c, true)
		plain := message.Ephemeral(said(o, p.at.actor.Name)) // taken where Discord refused the text, not where it was too late
		_ = p.i.Respond(ctx, link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &plain})
		return false
	}
	switch {
	case masks:
		f.release(c, true)
		return true
	case !o.Ask.State.Waiting():
		f.drop(c)
		return true
	}
	f.mu.Lock()
	c.digest = digest // what the event of the vote makes of it is the same
	f.mu.Unlock()
	f.release(c, false)
	return true
}

// beside answers a form or button that is not on the card.
func (s *Surface) beside(ctx context.Context, p *press, o outcome) {
	m := message.Ephemeral(said(o, p.at.actor.Name))
	kind := discordgo.InteractionResponseChannelMessageWithSource
	if rules := o.own(); len(rules) > 0 {
		m = message.Undo(o.Ask.ID, rules, s.c.Now().Add(gate.UndoFor), s.instance)
	}
	if msg := p.i.Message; msg != nil && msg.Flags&discordgo.MessageFlagsEphemeral != 0 {
		kind = discordgo.InteractionResponseUpdateMessage
	}
	s.respond(ctx, p.i, link.Response{Type: kind, Message: &m})
}

// said is what became of an answer, as a sentence for name, who gave it.
func said(o outcome, name string) string {
	switch {
	case o.err != nil:
		return sentence(o.err, name)
	case o.Ask.State.Waiting():
		return "Your approval counts. " + message.Code(o.Ask.Progress())
	case o.Ask.State == ask.Approved:
		return "Approved."
	}
	return "Denied."
}

// afterwards tells by further messages what a deferred answer could not.
func (s *Surface) afterwards(ctx context.Context, p *press, o outcome) {
	if o.err != nil {
		_, err := s.client.FollowUp(ctx, p.i.Interaction, message.Ephemeral(said(o, p.at.actor.Name)))
		s.note("answer an interaction", err)
		return
	}
	s.offerUndo(ctx, p, o)
}

// offerUndo shows whoever stored rules, and nobody else, how to take them back.
func (s *Surface) offerUndo(ctx context.Context, p *press, o outcome) {
	rules := o.own()
	if len(rules) == 0 {
		return
	}
	_, err := s.client.FollowUp(ctx, p.i.Interaction, message.Undo(o.Ask.ID, rules, s.c.Now().Add(gate.UndoFor), s.instance))
	s.note("offer to undo", err)
}

// undo takes back what an answer stored, if whoever presses it may.
func (s *Surface) undo(ctx context.Context, i *link.Interaction, id string) {
	actor, err := s.members.Who(ctx, i.GuildID, i.Member, i.User)
	if err != nil {
		s.tell(ctx, i, member.Refused(err))
		return
	}
	rules, err := s.c.Gate.UndoAnswer(context.WithoutCancel(ctx), id, actor.Person)
	m := message.Ephemeral(sentenceOfUndo(rules, err))
	kind := discordgo.InteractionResponseChannelMessageWithSource
	if msg := i.Message; msg != nil && msg.Flags&discordgo.MessageFlagsEphemeral != 0 && len(rules) > 0 {
		kind = discordgo.InteractionResponseUpdateMessage // the button has done its work
	}
	s.respond(ctx, i, link.Response{Type: kind, Message: &m})
	if len(rules) > 0 {
		s.noteUndone(ctx, id, actor.Name)
	}
}

func sentenceOfUndo(rules []engine.Rule, err error) string {
	text := ""
	for _, r := range rules {
		text += "\nTaken back: " + message.Code(r.String())
	}
	if err != nil {
		text += "\n" + message.Code(err.Error())
	}
	return text[1:]
}

// noteUndone adds to the cards of an ask that its rules were taken back.
func (s *Surface) noteUndone(ctx context.Context, id, by string) {
	cards, err := s.c.Store.CardsOf(ctx, id)
	s.note("read the cards of an ask", err)
	a, err := s.c.Asks.Get(ctx, id)
	if err != nil {
		s.note("look up an ask", err)
		return
	}
	for _, c := range cards {
		if c.FinishedAt.IsZero() {
			continue
		}
		m, err := s.client.Message(ctx, c.Channel, c.Message)
		if err == nil {
			_, err = s.client.Edit(ctx, c.Channel, c.Message, message.Ended(message.BodyOf(m.Content), a, nil, "Its rules were taken back by "+by+"."))
		}
		s.note("note on a card that its rules were taken back", err)
	}
}
