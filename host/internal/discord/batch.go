package discord

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// steadyList is how long a card with a list stands after an edit before it can be answered: a
// line may have appeared under the finger. RATIONALE.md, "Which asks may one tap approve
// together?".
const steadyList = 800 * time.Millisecond

// behind are the asks queued behind the display's own, with a line each as far as there is
// room, and how many they are. They are remembered until they end.
func (d *display) behind(a ask.Ask) (list []ask.Ask, all int) {
	if !a.State.Waiting() {
		return nil, 0
	}
	list = d.s.c.Asks.Waiting(ask.Filter{Agent: a.Agent, Session: a.Session, State: ask.Queued})
	all = len(list)
	list = list[:min(all, message.MaxBehind)]
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range list {
		d.listed[other.ID] = other
	}
	return list, all
}

// relist has the card of a session's visible ask drawn anew after a change of another one, or
// of the session: then the agent is empty.
func (s *Surface) relist(a ask.Ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.asks {
		d.relist(a)
	}
}

func (d *display) relist(a ask.Ask) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.id == a.ID || a.Agent != "" && d.ask.Agent != a.Agent || d.ask.Session != a.Session || !d.ask.State.Waiting() {
		return
	}
	if !a.State.Waiting() {
		d.ended(a)
	}
	d.rev++
	d.stir()
}

// ended keeps how an ask of the list ended, once. The caller holds mu.
func (d *display) ended(a ask.Ask) {
	was, listed := d.listed[a.ID]
	if !listed || !a.ShownAt.IsZero() {
		return // it never stood here, or it has a card of its own
	}
	delete(d.listed, a.ID)
	d.done = append(d.done, message.Done(d.s.c.Store.Veiled(was), a))
}

// doneLines are the lines about ended asks of the list.
func (d *display) doneLines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.done)
}

// hasList reports whether the display ever showed a list.
func (d *display) hasList() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.listed)+len(d.done) > 0
}

// several answers asks of the list, each by its id as the pressed button has it.
func (s *Surface) several(ctx context.Context, p *press, verdict ask.Verdict, ids []string) {
	p.at.answer.Verdict, p.at.list = verdict, true
	p.at.besides = !slices.Contains(ids, p.at.d.id)
	for _, id := range ids {
		if id != p.at.d.id && !slices.Contains(p.at.others, id) {
			p.at.others = append(p.at.others, id)
		}
	}
	s.answer(ctx, p)
}

// mayOthers keeps those of the list that may be answered, and notes why the others may not.
func (s *Surface) mayOthers(ctx context.Context, at *attempt) {
	own := at.d.now()
	var may []string
	for _, id := range at.others {
		a, err := s.c.Asks.Get(ctx, id)
		why := ""
		switch {
		case err != nil:
			why = sentence(err, at.actor.Name)
		case !a.State.Waiting():
			why = ended(a)
		case a.Agent != own.Agent || a.Session != own.Session:
			why = "It is not of this session."
		default:
			if why = mayAnswer(a, at.actor, at.answer.Verdict); why != "" {
				s.note("audit a refused answer", s.c.Gate.RefuseAnswer(context.WithoutCancel(ctx), a.ID, at.answer, why))
				why = message.MayNot(at.actor.Name, why)
			} else if at.answer.Verdict == ask.Approve {
				why = message.OwnCard(a)
			}
		}
		if why == "" {
			may = append(may, id)
		} else {
			at.refused = append(at.refused, notAnswered(id, why))
		}
	}
	at.others = may
}

func notAnswered(id, why string) string { return "Not answered: " + message.Code(id) + ". " + why }

// decideOthers gives the answer to the other asks of the list: before the card's own, so that
// none of them gets a card meanwhile.
func (s *Surface) decideOthers(ctx context.Context, at *attempt) {
	for _, id := range at.others {
		answer := at.answer
		answer.Together = at.answered + 1
		out, err := s.c.Gate.Answer(ctx, id, answer)
		if err != nil {
			at.refused = append(at.refused, notAnswered(id, sentence(err, at.actor.Name)))
			continue
		}
		at.answered++
		at.d.mu.Lock()
		at.d.ended(out.Ask)
		at.d.mu.Unlock()
	}
}

// saidOfList tells how many of the list were answered, and which were not.
func saidOfList(at *attempt) string {
	var lines []string
	if at.answered > 0 {
		word := map[ask.Verdict]string{ask.Approve: "Allowed", ask.Deny: "Denied"}[at.answer.Verdict]
		lines = append(lines, fmt.Sprintf("%s from the list: %d.", word, at.answered))
	}
	return strings.Join(append(lines, at.refused...), "\n")
}

// calm is how long before an interaction the message was last edited, by Discord's own clock;
// a long time where it never was.
func calm(interaction string, m *discordgo.Message) time.Duration {
	if m == nil || m.EditedTimestamp == nil {
		return never
	}
	at, err := discordgo.SnowflakeTimestamp(interaction)
	if err != nil {
		return 0
	}
	return at.Sub(*m.EditedTimestamp)
}
