package discord

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/gate"
)

// answerTime is the time limit for answering a click after its arrival: Discord waits three
// seconds. A later decision is shown by an edit.
const answerTime = 2 * time.Second

// outcome is the result of an answer.
type outcome struct {
	ask.AnswerResult
	err error
}

// own are the new rules stored by the answer: the ones that can be undone.
func (o outcome) own() []engine.Rule {
	var out []engine.Rule
	for _, r := range o.Rules {
		if r.Source == gate.SourceOfAsk(o.Ask.ID) {
			out = append(out, r)
		}
	}
	return out
}

// answer hands a press to the gate, if the person may answer, and updates Discord afterwards:
// the decision stands even if Discord fails.
func (s *Surface) answer(ctx context.Context, p *press) {
	if r := s.authorise(ctx, p.at); r != nil {
		s.refuse(ctx, p, r)
		return
	}
	d, c := p.at.d, p.at.card
	ours := p.at.seen != nil && d.claim(c) // the answer can be the card itself, made new
	decided := make(chan outcome, 1)
	s.spawn("an answer", func() {
		o := outcome{err: errFault}
		defer func() { decided <- o }()
		o.AnswerResult, o.err = s.decide(ctx, p.at)
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
				d.release(c, true)
			}
			if deferred {
				s.afterwards(ctx, p, o)
			}
		})
	}
}

// answered shows the result of an answer in Discord, as the answer to the click.
func (s *Surface) answered(ctx context.Context, p *press, o outcome, ours bool) {
	d, c := p.at.d, p.at.card
	switch {
	case o.err != nil:
		if ours {
			d.release(c, false)
		}
		s.tell(ctx, p.i, p.said(o))
	case !ours:
		s.beside(ctx, p, o)
	case s.remade(ctx, p, o):
		s.tellRefused(ctx, p)
		s.offerUndo(ctx, p, o)
	}
}

// tellRefused names those of the list that were not answered, to whoever answered it.
func (s *Surface) tellRefused(ctx context.Context, p *press) {
	if len(p.at.refused) == 0 {
		return
	}
	_, err := s.client.FollowUp(ctx, p.i.Interaction, message.Ephemeral(saidOfList(p.at)))
	s.note("answer an interaction", err)
}

// remade replaces the card as the answer to the click. Where Discord refuses it, the card is
// edited, and the rest goes into further messages.
func (s *Surface) remade(ctx context.Context, p *press, o outcome) bool {
	d, c := p.at.d, p.at.card
	m := d.content(ctx, c, o.Ask)
	masks := !o.Ask.State.Waiting() && !c.whole
	if masks {
		m = m.Instead(nil) // attached files are unmasked; edit attaches the masked ones
	}
	digest := message.Digest(m.Content)
	d.admitMessage(c, m, o.Ask.State.Waiting())
	if m.Check() != nil || !s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}) {
		d.release(c, true)
		plain := message.Ephemeral(p.said(o)) // taken where Discord refused the text, not where it was too late
		_ = p.i.Respond(ctx, link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &plain})
		return false
	}
	switch {
	case masks:
		d.release(c, true)
		return true
	case !o.Ask.State.Waiting():
		d.finish(c)
		d.release(c, false)
		return true
	}
	d.mu.Lock()
	c.digest = digest // the event of the vote produces the same
	d.mu.Unlock()
	d.release(c, false)
	return true
}

// beside answers a form or button outside the card.
func (s *Surface) beside(ctx context.Context, p *press, o outcome) {
	m := message.Ephemeral(p.said(o))
	kind := discordgo.InteractionResponseChannelMessageWithSource
	if rules := o.own(); len(rules) > 0 {
		m = message.Undo(o.Ask.ID, rules, s.c.Now().Add(gate.UndoFor), s.instance)
	}
	if msg := p.i.Message; msg != nil && msg.Flags&discordgo.MessageFlagsEphemeral != 0 {
		kind = discordgo.InteractionResponseUpdateMessage
	}
	s.respond(ctx, p.i, link.Response{Type: kind, Message: &m})
}

// said describes the result of an answer, and of those to the asks of the list.
func (p *press) said(o outcome) string {
	text := said(o, p.at.actor.Name)
	if p.at.besides && o.err == nil {
		text = ""
	}
	return strings.TrimSpace(text + "\n" + saidOfList(p.at))
}

// said describes the result of an answer by name, as a sentence.
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

// afterwards sends in further messages the rest of a deferred answer.
func (s *Surface) afterwards(ctx context.Context, p *press, o outcome) {
	if o.err != nil {
		_, err := s.client.FollowUp(ctx, p.i.Interaction, message.Ephemeral(p.said(o)))
		s.note("answer an interaction", err)
		return
	}
	s.tellRefused(ctx, p)
	s.offerUndo(ctx, p, o)
}

// offerUndo shows only the person who stored rules how to undo them.
func (s *Surface) offerUndo(ctx context.Context, p *press, o outcome) {
	rules := o.own()
	if len(rules) == 0 {
		return
	}
	_, err := s.client.FollowUp(ctx, p.i.Interaction, message.Undo(o.Ask.ID, rules, s.c.Now().Add(gate.UndoFor), s.instance))
	s.note("offer to undo", err)
}

// undo removes the rules stored by an answer, if the person may.
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

// noteUndone adds to the cards of an ask that its rules were removed.
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
			call, done := message.CallOf(m.Content)
			end := message.End{Call: call, Done: done, Notes: []string{"its rules were taken back by " + by}}
			_, err = s.client.Edit(ctx, c.Channel, c.Message, message.Ended(a, end))
		}
		s.note("note on a card that its rules were taken back", err)
	}
}
