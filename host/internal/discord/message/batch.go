package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// MaxBehind is how many asks of a session stand as lines on the card of the one before
// them: as many as a button can name.
const MaxBehind = 7

// list is what a card says of the asks behind its own: a line each, numbered from 2.
type list struct {
	lines []card.Entry
	text  string
	// allow are the ids that one tap approves, in their order, numbers their places; all
	// tells that they are everything on the card.
	allow   []string
	numbers []string
	all     bool
}

// listOf puts as many asks on lines as have room. a is the card's own ask, whole whether the
// card shows it whole.
func listOf(a ask.Ask, whole bool, v View, room int) list {
	var l list
	if a.State != ask.Shown || len(v.Behind) == 0 || !card.PlainID(a.ID) {
		return l
	}
	l.all = true
	if why := a.NeedsOwnAnswer(ask.Answer{Verdict: ask.Approve, Together: 1}); why == "" && whole && !a.Approvers.NobodyApproves(a.User) && !card.Grave(a) {
		l.allow, l.numbers = append(l.allow, a.ID), append(l.numbers, "1")
	} else {
		l.all = false
	}
	all := 1 + max(v.Waiting, len(v.Behind))
	for i, other := range v.Behind {
		if i == MaxBehind || !card.PlainID(other.ID) {
			break
		}
		one := card.EntryOf(other)
		text := lineText(i+2, all, one)
		if Units(text)+1 > room {
			break
		}
		room -= Units(text) + 1
		l.lines, l.text = append(l.lines, one), join(l.text, text)
		if one.Alone == "" {
			l.allow, l.numbers = append(l.allow, one.ID), append(l.numbers, fmt.Sprint(i+2))
		} else {
			l.all = false
		}
	}
	return l
}

// lineText is an ask on the card of another, the n-th of all of its session: the call, its id, and in small print what else there
// is to say.
func lineText(n, all int, l card.Entry) string {
	bare := l.Alone == "" && len(l.Does) == 0
	call, _ := line(0, func(w *writer) {
		if l.Row.Warn {
			w.own("⚠ ")
		}
		w.own(fmt.Sprintf("**%d/%d** ", n, all))
		w.pieces(l.Row.Pieces)
		if bare {
			w.own(" · ")
			w.safe(l.ID)
		}
	})
	if bare {
		return call
	}
	about, _ := line(0, func(w *writer) {
		w.own(small)
		w.safe(l.ID)
		if l.Alone != "" { // its card says the rest
			w.own(" · **on its own card:** " + l.Alone)
			return
		}
		for _, r := range l.Does {
			w.own(" · ")
			if r.Warn {
				w.own("⚠ ")
			}
			w.pieces(r.Pieces)
		}
	})
	return join(call, about)
}

// Done says in small print how an ask of the list ended; a is the ask as it waited.
func Done(a, ended ask.Ask) string {
	text, _ := line(maxDoneCall, func(w *writer) {
		w.own(small)
		switch {
		case ended.Answer != nil:
			w.own(card.EndWord(ended.State) + " by ")
			w.own(whoTexts(ended.Deciders(), roomApprovers))
		default:
			w.own(strings.TrimPrefix(card.HowEnded(ended), "denied: "))
		}
		w.own(" · ")
		w.pieces(card.EntryOf(a).Row.Pieces)
	})
	return text
}

// maxDoneCall bounds each code of Done.
const maxDoneCall = 120

// buttons answer the list: for all, or with the menu one by one. Each of them names the
// asks that it answers by their ids, so that it never means a line that came later.
func (l list) buttons(a ask.Ask, instance string, behind int) []discordgo.MessageComponent {
	if len(l.lines) == 0 {
		return nil
	}
	shown := len(l.lines) + 1
	every := "all " + fmt.Sprint(shown)
	if behind > len(l.lines) {
		every = "the " + fmt.Sprint(shown) + " shown"
	}
	id := func(verb Verb, ids []string) string {
		return CustomID{Instance: instance, Subject: a.ID, Verb: verb, Arg: strings.Join(ids, idsBetween)}.String()
	}
	all := []string{a.ID}
	for _, one := range l.lines {
		all = append(all, one.ID)
	}
	deny := discordgo.Button{Label: "Deny " + every, Style: discordgo.SecondaryButton, CustomID: id(VerbDenyAll, all)}
	row1 := []discordgo.MessageComponent{deny}
	if len(l.allow) > 1 {
		label := "Allow " + every
		if !l.all {
			label = "Allow " + strings.Join(l.numbers, ", ")
		}
		row1 = []discordgo.MessageComponent{discordgo.Button{Label: label, Style: discordgo.SecondaryButton, CustomID: id(VerbAllowAll, l.allow)}, deny}
	}
	var options []discordgo.SelectMenuOption
	for i, one := range l.lines {
		call, _ := clip(card.Line(plainRow(one.Row)), MaxOptionText)
		if one.Alone == "" {
			options = append(options, discordgo.SelectMenuOption{Label: fmt.Sprintf("Allow %d", i+2), Value: allowOne + one.ID, Description: call})
		}
		options = append(options, discordgo.SelectMenuOption{Label: fmt.Sprintf("Deny %d", i+2), Value: denyOne + one.ID, Description: call})
	}
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: id(VerbOne, nil), Placeholder: "Answer 2 to " + fmt.Sprint(shown) + " one by one…", Options: options,
	}
	return []discordgo.MessageComponent{row(row1...), row(menu)}
}

// plainRow is a row as plain text.
func plainRow(r card.Row) string {
	var out strings.Builder
	for _, p := range r.Pieces {
		out.WriteString(p.Text)
	}
	return out.String()
}

// The values of the menu for single asks of the list, and what stands between ids.
const (
	allowOne   = "a."
	denyOne    = "d."
	idsBetween = "."
)

// OwnCard says why only an answer of its own approves an ask of a list; empty when a tap for
// several does.
func OwnCard(a ask.Ask) string { return card.EntryOf(a).Alone }

// ListedIDs are the asks that a button of the list answers, by its argument.
func ListedIDs(arg string) []string {
	ids := strings.Split(arg, idsBetween)
	if len(ids) > MaxBehind+1 || slices.ContainsFunc(ids, func(id string) bool { return !card.PlainID(id) }) {
		return nil
	}
	return ids
}

// ReadOne reads an entry of the menu for one ask of the list.
func ReadOne(value string) (id string, verdict ask.Verdict, ok bool) {
	id, ok = strings.CutPrefix(value, allowOne)
	if ok {
		return id, ask.Approve, card.PlainID(id)
	}
	id, ok = strings.CutPrefix(value, denyOne)
	return id, ask.Deny, ok && card.PlainID(id)
}
