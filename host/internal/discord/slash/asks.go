package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// asks shows the waiting asks, one ask, or lets a paused session ask again.
func (h *Handler) asks(ctx context.Context, who asker, r request) (answer, error) {
	id, resume := r.texts[optID], r.texts[optResume]
	switch {
	case id != "" && resume != "":
		return answer{}, badRequest{errors.New("give id or resume, not both")}
	case id != "":
		return h.showAsk(ctx, ask.NormalID(id))
	case resume != "":
		return h.resume(ctx, who, resume)
	}
	return h.waiting(ctx, who, ask.Filter{Agent: r.texts[optAgent], Session: r.texts[optSession]})
}

// waiting lists the waiting asks, with menus to show one and to resume paused sessions.
func (h *Handler) waiting(ctx context.Context, who asker, f ask.Filter) (answer, error) {
	waiting := h.c.Asks.Waiting(f)
	sessions, err := h.paused(ctx, f)
	if err != nil {
		return answer{}, err
	}
	m := h.listed(waiting, sessions)
	kept, asks, labels := flow{account: who.Account}, []string{}, []string{}
	for _, a := range waiting[:min(len(waiting), message.MaxOptions)] {
		kept.asks = append(kept.asks, a.ID)
		asks = append(asks, a.ID+" "+a.Agent+" "+a.Tool)
	}
	for _, s := range sessions[:min(len(sessions), message.MaxOptions)] {
		kept.sessions = append(kept.sessions, s.ID)
		labels = append(labels, sessionLabel(s))
	}
	if len(asks)+len(labels) == 0 {
		return answer{message: m}, nil
	}
	id := h.flows.add(kept)
	if len(asks) > 0 {
		m.Components = append(m.Components, h.menu(verbShow, id, "Show one, whole", asks, -1))
	}
	if len(labels) > 0 {
		m.Components = append(m.Components, h.menu(verbResume, id, "Let a paused session ask again", labels, -1))
	}
	return answer{message: m}, nil
}

// paused are the paused sessions chosen by a filter.
func (h *Handler) paused(ctx context.Context, f ask.Filter) ([]store.Session, error) {
	all, err := h.sessions(ctx, []string{f.Agent}, true)
	var out []store.Session
	for _, s := range all {
		if f.Session == "" || f.Session == s.ID {
			out = append(out, s)
		}
	}
	return out, err
}

// listed is the list of waiting asks: as much of it as fits into a message, with links to the
// cards, and if cut all of it in a file.
func (h *Handler) listed(waiting []ask.Ask, paused []store.Session) message.Message {
	var shown, whole []string
	for _, a := range waiting {
		shown, whole = append(shown, h.linked(a)), append(whole, h.line(a))
	}
	for _, s := range paused {
		shown = append(shown, fmt.Sprintf("paused: the session %s of %s: %s", short(s.ID), short(s.Agent), short(s.Paused)))
		whole = append(whole, fmt.Sprintf("paused: %s: %s", sessionLabel(s), s.Paused))
	}
	head := fmt.Sprintf("**/asks** waiting: %d. Paused sessions: %d.", len(waiting), len(paused))
	for n := len(shown); n > 0; n-- {
		tail := ""
		if n < len(shown) {
			tail = note(n, len(shown))
		}
		content := joined(head, strings.Join(shown[:n], "\n"), tail)
		if message.Units(content) > message.MaxContent {
			continue
		}
		m := message.Ephemeral(content)
		if n == len(shown) {
			return m
		}
		for i := range whole {
			whole[i] = card.Line(whole[i])
		}
		file, left := fileOf(whole)
		if left > 0 {
			break
		}
		m.Files = []message.File{{Name: listName, Type: listType, Data: file}}
		return m
	}
	return listing(head, whole, "")
}

// linked is one line of the list, with the address of its card.
func (h *Handler) linked(a ask.Ask) string {
	text := fmt.Sprintf("**%s** %s, agent %s, tool %s", a.ID, h.state(a), short(a.Agent), short(a.Tool))
	if !a.Deadline.IsZero() {
		text += fmt.Sprintf(", ends <t:%d:R>", a.Deadline.Unix())
	}
	if link := h.c.Places.CardLink(a.ID); link != "" {
		text += ", [its card](" + link + ")"
	}
	return text
}

// line is the same for a file.
func (h *Handler) line(a ask.Ask) string {
	text := fmt.Sprintf("%s %s, agent %s, session %s, tool %s", a.ID, h.state(a), a.Agent, a.Session, a.Tool)
	if !a.Deadline.IsZero() {
		text += ", ends " + a.Deadline.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if link := h.c.Places.CardLink(a.ID); link != "" {
		text += ", " + link
	}
	return text + ": " + a.Decision.Reason
}

func (h *Handler) state(a ask.Ask) string {
	if n := h.c.Asks.Position(a.ID); n > 0 {
		return fmt.Sprintf("queued (%d)", n)
	}
	return string(a.State)
}

// showAsk shows one ask as its card does, whole. It is answered at its card.
func (h *Handler) showAsk(ctx context.Context, id string) (answer, error) {
	a, err := h.c.Asks.Get(ctx, id)
	if err != nil {
		return answer{}, err
	}
	shown := message.Card(a, message.View{Instance: h.c.Instance})
	content := shown.Content
	if !a.State.Waiting() {
		content = message.Ended(a, message.End{Call: shown.Call}).Content
	}
	m := message.Ephemeral(content)
	m.Files = shown.Files
	if link := h.c.Places.CardLink(a.ID); link != "" {
		m.Components = append(m.Components, row(discordgo.Button{Label: "Go to its card", Style: discordgo.LinkButton, URL: link}))
	}
	return answer{message: m}, nil
}

// resume lets a paused session ask again, for a person who may approve its calls.
func (h *Handler) resume(ctx context.Context, who asker, session string) (answer, error) {
	known, _, err := h.c.Gate.Session(ctx, session)
	if err != nil {
		return answer{}, err
	}
	if why := h.mayNotResume(who, known); why != "" {
		if err := h.c.Gate.Refused(ctx, who.Person, why); err != nil {
			return answer{}, err
		}
		return answer{message: listing("**Refused.** You may not do that, and it was noted.", []string{why}, "")}, nil
	}
	if err := h.c.Gate.ResumeSession(ctx, session, who.Name); err != nil {
		return answer{}, err
	}
	return answer{message: listing("**/asks** "+placeText("session", session), []string{"it may ask again"}, "")}, nil
}

// mayNotResume says why a person may not resume a session: its approvers may. Without named
// approvers, listed people and administrators may.
func (h *Handler) mayNotResume(who asker, s store.Session) string {
	policy := h.c.Settings().Approvers(s.Agent)
	if !policy.Named() && !who.Listed && !who.Administrator {
		return fmt.Sprintf("%s may not resume the session %q: it takes a person of the configuration, or an administrator", who.Name, s.ID)
	}
	if may := policy.Authorise(s.User, who.Person); !may.MayApprove {
		return fmt.Sprintf("the session %q is resumed by who may approve its calls: %s", s.ID, may.Reason)
	}
	return ""
}
