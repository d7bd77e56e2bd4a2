package discord

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// The ways to answer, as the audit has them.
const (
	viaButton   = "button"
	viaMenu     = "menu"
	viaForm     = "form"
	viaReaction = "reaction"
	viaReply    = "reply"
)

// attempt is an answer that somebody wants to give, however they say it.
type attempt struct {
	via string
	d   *display
	// card is the one that they answer, in the channel where they do; nil when there is
	// none of ours.
	card    *card
	channel string
	// guild, member and user say who it is, see member.Directory.
	guild  string
	member *discordgo.Member
	user   *discordgo.User
	// interaction is the interaction's id, empty for none; age how old the card was.
	interaction string
	age         time.Duration
	// seen is the card as it came with a click; nil where Discord has to be asked.
	seen *discordgo.Message
	// confirmed tells that the ask's id was typed, as answer.ConfirmID, into the form.
	confirmed bool
	// edits tells that the answer changes the input: then the changed call is judged again,
	// and shown again where it takes the id.
	edits  bool
	answer ask.Answer
	// list tells that asks of the card's list are answered: others, by their ids, and the
	// card's own unless besides is set. calm is how long ago the card was edited.
	list, besides bool
	others        []string
	calm          time.Duration
	// answered counts those of others that were answered, refused has a line for each that
	// was not.
	answered int
	refused  []string

	// actor is set by authorise.
	actor member.Actor
}

// refusal is why an answer does not count, as a sentence for who gave it.
type refusal struct {
	text string
	// confirm tells that it would count with the ask's id typed into the form.
	confirm bool
	// noCard tells that what they answer is no open card of the ask.
	noCard bool
	// silent tells that nobody is told: it was no person.
	silent bool
}

// steady is how long a card stands before it can be answered: who taps on something else
// while the list moves does not mean it.
const steady = 500 * time.Millisecond

// authorise is the one place that decides whether somebody may give an answer here, for
// buttons, menus, forms, reactions and replies. nil means that it may go to the gate,
// which looks at the policies once more, and at whether the ask still waits.
//
// It looks in turn whether it is known who they are; whether the card is one of ours, in
// its place, for long enough, and says what we wrote; whether they may answer; and
// whether this approval counts only with the ask's id typed.
func (s *Surface) authorise(ctx context.Context, at *attempt) *refusal {
	actor, err := s.members.Who(ctx, at.guild, at.member, at.user)
	if err != nil {
		return s.nobody(ctx, at, err)
	}
	at.actor = actor
	at.answer.By, at.answer.Surface = actor.Name, Name
	at.answer.Roles, at.answer.Administrator = actor.Roles, actor.Administrator
	at.answer.Origin = at.origin()
	if at.card == nil || at.card.of != at.d || at.card.Channel != at.channel {
		return s.noCard(at)
	}
	if at.age < steady {
		return &refusal{text: "The card has only just appeared: look at it, and answer again."}
	}
	if at.seen != nil && at.calm < steadyList && at.d.hasList() {
		return &refusal{text: "The list on this card changed just before you tapped, so nothing was decided: look at it, and answer again."}
	}
	if r := s.unchanged(ctx, at); r != nil {
		return r
	}
	if at.list {
		if s.mayOthers(ctx, at); at.besides {
			if len(at.others) == 0 {
				return &refusal{text: saidOfList(at)}
			}
			return nil
		}
	}
	a := at.d.now()
	if reason := mayAnswer(a, actor, at.answer.Verdict); reason != "" {
		s.note("audit a refused answer", s.c.Gate.RefuseAnswer(context.WithoutCancel(ctx), a.ID, at.answer, reason))
		return &refusal{text: message.MayNot(actor.Name, reason)}
	}
	if at.answer.Verdict == ask.Approve && needsID(a, at.card) && !at.confirmed && !at.edits {
		return &refusal{confirm: true, text: "This approval has to be confirmed: press Allow once on the card, and type the id of the ask."}
	}
	if at.confirmed && ask.NormalID(at.answer.ConfirmID) != a.ID {
		return &refusal{text: "That is not the id of this ask. Nothing was approved: press Allow once again, and type the id that its button has."}
	}
	return nil
}

// noCard refuses an answer to a message that is no open card of the ask, or is not known
// as one yet.
func (s *Surface) noCard(at *attempt) *refusal {
	if at.card == nil && s.early.expects(at.channel) {
		return &refusal{noCard: true, text: "The card is still being posted: press again in a moment."}
	}
	return &refusal{noCard: true, text: "This is no card of an ask that waits."}
}

// nobody refuses somebody who is not known, or no person.
func (s *Surface) nobody(ctx context.Context, at *attempt, err error) *refusal {
	at.answer.Surface, at.answer.Origin = Name, at.origin()
	s.note("audit a refused answer", s.c.Gate.RefuseAnswer(context.WithoutCancel(ctx), at.d.id, at.answer, err.Error()))
	return &refusal{text: member.Refused(err), silent: errors.Is(err, member.ErrNoPerson)}
}

// origin is where the answer was given, for the audit.
func (at *attempt) origin() *ask.Origin {
	o := &ask.Origin{
		Account: at.actor.Account, AccountName: at.actor.Display, Via: at.via, Server: at.guild, Channel: at.channel, Interaction: at.interaction,
	}
	if user := at.user; o.Account == "" && user != nil {
		o.Account, o.AccountName = user.ID, user.Username
	}
	if at.card != nil {
		o.Message, o.Shown, o.Latency = at.card.Message, at.d.digestOf(at.card), max(0, at.d.s.c.Now().Sub(at.card.PostedAt))
	}
	return o
}

// needsID reports whether every approval of an ask takes its id typed: a safety check,
// or a card that does not show everything.
func needsID(a ask.Ask, c *card) bool { return a.NeedsConfirmation() || !c.whole }

// mayAnswer says why somebody may not give an answer; empty when they may. Where the
// configuration names nobody who answers, not everybody who sees the channel does, but
// people whom it gives a Discord account, and administrators of the server.
func mayAnswer(a ask.Ask, actor member.Actor, v ask.Verdict) string {
	may := a.Approvers.Authorise(a.User, actor.Person)
	if v == ask.Approve && !may.MayApprove || v != ask.Approve && !may.MayDeny {
		return may.Reason
	}
	own := v != ask.Approve && a.User != "" && strings.EqualFold(a.User, actor.Name)
	if a.Approvers.Named() || actor.Listed || actor.Administrator || own {
		return ""
	}
	return fmt.Sprintf("%s may not answer: the configuration names no approvers, so it takes somebody whom it gives a Discord account, or an administrator of the server", actor.Name)
}

// unchanged refuses an approval of a card that does not say what we wrote: then somebody
// has changed it who has the bot's token, and the ask is cancelled. A denial does no harm.
func (s *Surface) unchanged(ctx context.Context, at *attempt) *refusal {
	if at.answer.Verdict != ask.Approve {
		return nil
	}
	m := at.seen
	if m == nil || m.Content == "" {
		var err error
		if m, err = s.client.Message(ctx, at.card.Channel, at.card.Message); err != nil {
			s.note("read a card before it is approved", err)
			return &refusal{text: "The card could not be read again, so nothing was approved: try again."}
		}
	}
	if at.d.unchanged(ctx, at.card, m) {
		return nil
	}
	return &refusal{text: "Somebody has changed this card: it does not say what was asked. The ask is cancelled."}
}

// apart is how long after a message something happened, by Discord's own clock, which is
// in the ids of both; 0 where that cannot be told.
func apart(id, card string) time.Duration {
	at, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return 0
	}
	posted, err := discordgo.SnowflakeTimestamp(card)
	if err != nil {
		return 0
	}
	return at.Sub(posted)
}
