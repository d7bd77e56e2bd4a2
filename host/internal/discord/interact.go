package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// events is what comes in from Discord.
type events struct{ s *Surface }

var _ link.Events = events{}

// Ready implements link.Events.
func (e events) Ready(_ context.Context, fresh bool) {
	if fresh {
		e.s.reread()
	}
}

// Edited implements link.Events: only we edit our cards. The card is read again, for
// events may be old or say only a part.
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
	c.of.unchanged(ctx, c, now)
}

// Deleted implements link.Events.
func (e events) Deleted(_ context.Context, channel, id string) {
	find := func() *card { return e.s.cardAt(channel, id) }
	again := func() { e.Deleted(context.Background(), channel, id) }
	if c, _ := e.s.cardOrLater(channel, "an early deletion", find, again); c != nil {
		c.of.deleted(c)
	}
}

// Interaction implements link.Events.
func (e events) Interaction(ctx context.Context, i *link.Interaction) {
	if e.s.foreign(i) {
		e.s.c.Log.Warn("discord: an interaction of another application was refused", "application", i.AppID)
		return
	}
	switch data := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData:
		e.s.command(ctx, i)
	case discordgo.MessageComponentInteractionData:
		e.s.pressed(ctx, i, data.CustomID, data.Values, nil)
	case discordgo.ModalSubmitInteractionData:
		e.s.pressed(ctx, i, data.CustomID, nil, data.Components)
	default:
		e.s.damaged(ctx, i)
	}
}

// foreign reports whether an interaction belongs to another application than ours.
func (s *Surface) foreign(i *link.Interaction) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.app != "" && i.Interaction != nil && i.AppID != s.app
}

const notUnderstood = "This was not understood, and nothing was decided. Look at the card again, or answer at the terminal."

// command hands on what belongs to a slash command.
func (s *Surface) command(ctx context.Context, i *link.Interaction) {
	actor, err := s.members.Who(ctx, i.GuildID, i.Member, i.User)
	switch {
	case err == nil:
		s.commands.Interaction(ctx, i, actor)
	case i.Type == discordgo.InteractionApplicationCommandAutocomplete:
		s.note("answer an interaction", i.Respond(ctx, link.Response{Type: discordgo.InteractionApplicationCommandAutocompleteResult}))
	default:
		s.tell(ctx, i, member.Refused(err))
	}
}

// pressed is a button, a menu or a form of ours. Another gate's are left to that.
func (s *Surface) pressed(ctx context.Context, i *link.Interaction, customID string, values []string, inputs []discordgo.MessageComponent) {
	id, err := message.ParseID(customID)
	switch {
	case err != nil && strings.HasPrefix(customID, "g1|"+s.instance+"|"):
		s.tell(ctx, i, notUnderstood)
		return
	case err != nil || id.Instance != s.instance:
		return
	case id.Subject == message.CommandSubject:
		s.command(ctx, i)
		return
	case id.Verb == message.VerbUndo:
		s.undo(ctx, i, id.Subject)
		return
	}
	d := s.display(id.Subject)
	if d == nil || !d.waiting() {
		s.late(ctx, i, id.Subject)
		return
	}
	at := s.attempted(ctx, i, d, id.Verb)
	if !d.waiting() { // it ended while its card was looked up
		s.late(ctx, i, id.Subject)
		return
	}
	s.press(ctx, &press{i: i, at: at, verb: id.Verb, arg: id.Arg, values: values, inputs: inputs})
}

// attempted is what an interaction says of who answers what.
func (s *Surface) attempted(ctx context.Context, i *link.Interaction, d *display, verb message.Verb) *attempt {
	at := &attempt{via: viaButton, d: d, channel: i.ChannelID, guild: i.GuildID, member: i.Member, user: i.User, interaction: i.ID}
	if at.user == nil && i.Member != nil {
		at.user = i.Member.User
	}
	if m := i.Message; m != nil && m.Flags&discordgo.MessageFlagsEphemeral == 0 {
		if at.card = s.cardAt(i.ChannelID, m.ID); at.card == nil {
			s.early.await(ctx, i.ChannelID, time.Second) // the answer to its posting is on the way
			at.card = s.cardAt(i.ChannelID, m.ID)
		}
		at.seen = m
	} else if m != nil && verb == message.VerbStore {
		at.card = d.cardIn(i.ChannelID) // a message beside the card, which only they see: choose looks at it
	}
	if at.card != nil {
		at.age, at.calm = apart(i.ID, at.card.Message), calm(i.ID, at.seen)
	}
	return at
}

// press is a button, a menu or a form that belongs to an ask that is shown.
type press struct {
	i      *link.Interaction
	at     *attempt
	verb   message.Verb
	arg    string
	values []string
	inputs []discordgo.MessageComponent
}

func (s *Surface) press(ctx context.Context, p *press) {
	a := p.at.d.now()
	known := true
	switch p.verb {
	case message.VerbApprove:
		p.at.answer.Verdict = ask.Approve
	case message.VerbDeny:
	case message.VerbReasoned:
		p.at.via, p.at.answer.Reason = viaForm, typed(p.inputs, message.InputReason)
	case message.VerbConfirm:
		p.at.via, p.at.confirmed = viaForm, true
		p.at.answer.Verdict, p.at.answer.ConfirmID = ask.Approve, typed(p.inputs, message.InputID)
	case message.VerbSession:
		c, ok := message.SessionChoice(a)
		p.at.answer, known = c.Answer, ok
	case message.VerbTrustRead, message.VerbTrustEdit:
		c, ok := message.FolderChoice(a, p.verb)
		p.at.answer, known = c.Answer, ok
		p.at.answer.ConfirmID = a.ID // what it trusts stands on the card: the tap confirms it
	case message.VerbRule:
		p.at.via, known = viaMenu, len(p.values) == 1
		if known {
			s.chosen(ctx, p, a, p.values[0])
			return
		}
	case message.VerbStore:
		s.choose(ctx, p, a, p.arg, true)
		return
	case message.VerbEdit:
		p.at.answer.Verdict, p.at.edits = ask.Approve, true
		s.openEdit(ctx, p, a)
		return
	case message.VerbEdited:
		p.at.via, p.at.edits = viaForm, true
		input, err := message.EditedInput(a, typed(p.inputs, message.InputEdited))
		if err != nil {
			s.tell(ctx, p.i, message.NotEdited(a, err))
			return
		}
		p.at.answer.Verdict, p.at.answer.Input = ask.Approve, input
	case message.VerbAllowAll, message.VerbDenyAll:
		ids := message.ListedIDs(p.arg)
		if known = len(ids) > 0; known {
			s.several(ctx, p, map[bool]ask.Verdict{true: ask.Approve}[p.verb == message.VerbAllowAll], ids)
			return
		}
	case message.VerbOne:
		p.at.via = viaMenu
		if known = len(p.values) == 1; known {
			var id string
			var verdict ask.Verdict
			if id, verdict, known = message.ReadOne(p.values[0]); known {
				s.several(ctx, p, verdict, []string{id})
				return
			}
		}
	default:
		known = false
	}
	if !known {
		s.tell(ctx, p.i, notUnderstood)
		return
	}
	s.answer(ctx, p)
}

// chosen is an entry of the menu.
func (s *Surface) chosen(ctx context.Context, p *press, a ask.Ask, value string) {
	switch value {
	case message.ValueReason:
		p.at.via = viaButton
		s.openForm(ctx, p, message.ReasonModal(a, s.instance))
	case message.ValueDetails:
		s.everything(ctx, p, a)
	default:
		s.choose(ctx, p, a, value, false)
	}
}

// choose answers with a rule of the menu. One whose exact text did not stand there is
// shown first, to whoever chose it; after that the choice is the confirmation that
// ask.Ask.WantsID wants.
func (s *Surface) choose(ctx context.Context, p *press, a ask.Ask, value string, shown bool) {
	offers := message.Offers(a)
	at := slices.IndexFunc(offers, func(o message.Offer) bool { return o.Value == value })
	if at < 0 {
		s.tell(ctx, p.i, "This rule is not offered. Nothing was decided.")
		return
	}
	offer := offers[at]
	if shown && !same(p.i.Message, message.ConfirmRule(a, offer, s.instance)) {
		s.tell(ctx, p.i, "This message does not say what would be stored. Nothing was decided: choose the rule on the card again.")
		return
	}
	p.at.answer = offer.Choice.Answer
	p.at.answer.ConfirmID = a.ID
	if offer.Exact || shown {
		s.answer(ctx, p)
		return
	}
	if r := s.authorise(ctx, p.at); r != nil {
		s.refuse(ctx, p, r)
		return
	}
	m := message.ConfirmRule(a, offer, s.instance)
	s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &m})
}

// openForm shows a form to a person who may answer.
func (s *Surface) openForm(ctx context.Context, p *press, m message.Modal) {
	if r := s.authorise(ctx, p.at); r != nil && !r.confirm {
		s.refuse(ctx, p, r)
		return
	}
	s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseModal, Modal: &m})
}

// openEdit shows the form with the input as text to a person who may approve the ask.
func (s *Surface) openEdit(ctx context.Context, p *press, a ask.Ask) {
	m, err := message.EditModal(a, s.instance)
	if err != nil {
		s.tell(ctx, p.i, message.NotEdited(a, err))
		return
	}
	s.openForm(ctx, p, m)
}

// everything shows the whole call to a person who may answer it.
func (s *Surface) everything(ctx context.Context, p *press, a ask.Ask) {
	if r := s.authorise(ctx, p.at); r != nil {
		s.refuse(ctx, p, r)
		return
	}
	m := message.Everything(a)
	s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &m})
}

// refuse tells a person that their answer does not count; one that would with the ask's id
// gets the form to type it into.
func (s *Surface) refuse(ctx context.Context, p *press, r *refusal) {
	switch {
	case r.silent:
	case r.noCard && !p.at.d.waiting(): // its card has its final text by now
		s.late(ctx, p.i, p.at.d.id)
	case r.confirm && p.verb == message.VerbApprove:
		m := message.ConfirmModal(p.at.d.now(), s.instance)
		s.respond(ctx, p.i, link.Response{Type: discordgo.InteractionResponseModal, Modal: &m})
	default:
		s.tell(ctx, p.i, r.text)
	}
}

// late answers a click on a card that is not shown any more.
func (s *Surface) late(ctx context.Context, i *link.Interaction, id string) {
	actor, err := s.members.Who(ctx, i.GuildID, i.Member, i.User)
	if err != nil {
		s.tell(ctx, i, member.Refused(err))
		return
	}
	a, err := s.c.Asks.Get(ctx, id)
	switch {
	case errors.Is(err, ask.ErrUnknown):
		s.tell(ctx, i, "This gate knows no such ask.")
	case err != nil:
		s.note("look up an ask", err)
		s.tell(ctx, i, "The ask could not be looked up. Nothing was decided: try again.")
	case a.State.Waiting():
		s.show(a)
		s.tell(ctx, i, "This ask is not to be answered at the moment: it is queued, or the gate has only just started. Try again.")
	default:
		s.c.Log.Info("discord: a late answer", "ask", a.ID, "account", actor.Account)
		s.tell(ctx, i, ended(a))
	}
}
