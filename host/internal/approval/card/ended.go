package card

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// endWords say in one word how an ask ended.
var endWords = map[ask.State]string{
	ask.Approved: "Allowed", ask.Denied: "Denied", ask.TimedOut: "Expired", ask.Cancelled: "Cancelled",
}

// EndWord says in one word how an ask ended: "Allowed".
func EndWord(state ask.State) string {
	if word, ok := endWords[state]; ok {
		return word
	}
	return "Ended"
}

// maxStored is how many rules an outcome names.
const maxStored = 3

// Outcome is the first row of a card whose ask has ended, in clauses: who answered what,
// which rules that stored, the words of a denial, and an approval that no client took. Rules
// are those that the answer stored. The surface adds how they are taken back.
func Outcome(a ask.Ask, rules []engine.Rule) []Row {
	list := []Row{answered(a)}
	for i, r := range rules {
		if i == maxStored {
			more := fmt.Sprintf("stored %d more: see callgate rules list", len(rules)-i)
			list = append(list, Row{Pieces: []Piece{own(more)}})
			break
		}
		list = append(list, stored(r))
	}
	if a.Answer != nil && strings.TrimSpace(a.Answer.Reason) != "" {
		list = append(list, Row{Pieces: []Piece{own("reason: "), {Text: shortened(strings.TrimSpace(a.Answer.Reason), Prose)}}})
	}
	if text := Unheard(a); text != "" {
		list = append(list, Row{Pieces: []Piece{own(text)}, Warn: true})
	}
	return list
}

// Joined is one row of several clauses. It warns where one of them does.
func Joined(clauses []Row) Row {
	var all Row
	for i, c := range clauses {
		if i > 0 {
			all.Pieces = append(all.Pieces, own(" · "))
		}
		all.Pieces = append(all.Pieces, c.Pieces...)
		all.Warn = all.Warn || c.Warn
	}
	return all
}

// answered says who answered what, where and when.
func answered(a ask.Ask) Row {
	list := []Piece{strong(EndWord(a.State)), own(" "), theirs(a.ID)}
	if PlainID(a.ID) {
		list = []Piece{strong(EndWord(a.State) + " " + a.ID)}
	}
	switch {
	case a.Answer == nil:
		_, how, _ := strings.Cut(HowEnded(a), ": ")
		list = append(list, own(": "+how))
		if a.Cause == ask.CauseTimeout {
			list = append(list, unreached(a.Undelivered)...)
		}
	default:
		list = append(list, own(" by "), Piece{Text: short(a.DecidedBy()), People: a.Deciders()})
		if name := a.Answer.Surface; name != "" {
			list = append(list, own(" in "), surfaceOf(name))
		}
		if a.Cause == ask.CauseCovered {
			list = append(list, own(", with a rule accepted on another card"))
		}
	}
	if !a.EndedAt.IsZero() {
		list = append(list, own(" at "), timeOf(a.EndedAt))
	}
	return Row{Pieces: list}
}

// PlainID reports whether an id is letters and digits, as the broker makes them.
func PlainID(id string) bool {
	return id != "" && len(id) <= 24 && !strings.ContainsFunc(id, func(r rune) bool { return (r < '0' || '9' < r) && (r < 'a' || 'z' < r) })
}

func surfaceOf(name string) Piece {
	if ours, ok := ask.SurfaceName(name); ok {
		return own(ours)
	}
	return theirs(name)
}

// unreached names the surfaces that could not show an ask.
func unreached(names []string) []Piece {
	var list []Piece
	for i, name := range names {
		if i == 0 {
			list = append(list, own(", and "))
		} else {
			list = append(list, own(" and "))
		}
		list = append(list, surfaceOf(name))
	}
	if len(list) > 0 {
		list = append(list, own(" could not be reached to show the question"))
	}
	return list
}

// timeOf is a time of today, dateOf one of any day.
func timeOf(t time.Time) Piece { return Piece{Text: clock(t), Own: true, At: t} }

func dateOf(t time.Time) Piece {
	return Piece{Text: t.UTC().Format("2006-01-02 15:04 UTC"), Own: true, At: t}
}

// stored says which rule an answer stored, and where it holds.
func stored(r engine.Rule) Row {
	list := []Piece{own("stored "), {Text: RuleText(r)}}
	switch r.Scope {
	case engine.Session:
		list = append(list, own(" for this session"))
	case engine.Project:
		list = append(list, own(" in project "), theirs(path.Base(r.ScopeKey)))
	case engine.Agent:
		list = append(list, own(" for agent "), theirs(r.ScopeKey))
	case engine.Global:
		list = append(list, own(" everywhere"))
	}
	if !r.ExpiresAt.IsZero() {
		list = append(list, own(" until "), dateOf(r.ExpiresAt))
	}
	return Row{Pieces: list}
}

// The bounds of a call on one row, in characters of the call itself.
const (
	maxCallRow = 120
	callHead   = 80
	callTail   = 30
)

// CallRow is a call in one row: its headline, cut visibly, and the agent. Without the input,
// as after the end of an ask, the action says what the headline is about.
func CallRow(a ask.Ask) Row {
	row := cutRow(a)
	row.Pieces = append(row.Pieces, own(" · "+AgentWord), theirs(a.Agent))
	return row
}

// cutRow is CallRow without the agent.
func cutRow(a ask.Ask) Row {
	in := InputOf(a)
	row, _ := headline(a, in, placeOf(a))
	_, titled := in.only("title")
	if v, known := verbs[a.Tool]; known && len(row.Pieces) == 1 || !known && !titled {
		text, ok := "", false
		if a.Input != nil && !a.LongInput() && v.subject != "" {
			text, ok = in.only(v.subject)
		}
		if !ok {
			text = detailOf(a.Action)
		}
		row.Pieces = append(row.Pieces, cutOnRow(text)...)
	}
	return row
}

// detailOf is what an action string says behind its tool: "tool:bash:npm test".
func detailOf(action string) string {
	if rest, ok := strings.CutPrefix(action, "tool:"); ok {
		if _, detail, ok := strings.Cut(rest, ":"); ok {
			return detail
		}
	}
	return action
}

// cutOnRow is a text with a blank before it: the beginning of its first line and, of a single
// line, its end, with the number of characters that are left out.
func cutOnRow(text string) []Piece {
	first, _, lines := strings.Cut(text, "\n")
	if strings.TrimSpace(first) == "" {
		first, lines = text, false
	}
	all := []rune(text)
	head, tail := []rune(first), []rune(nil)
	switch {
	case text == "":
		return nil
	case len(all) <= maxCallRow && !lines:
	case !lines:
		head, tail = all[:callHead], all[len(all)-callTail:]
	case len(head) > maxCallRow:
		head = head[:callHead]
	}
	pieces := []Piece{own(" "), {Text: Line(string(head))}}
	if gap := len(all) - len(head) - len(tail); gap > 0 {
		pieces = append(pieces, own(fmt.Sprintf(" %c%d characters not shown%c", openMark, gap, closeMark)))
	}
	if len(tail) > 0 {
		pieces = append(pieces, own(" "), Piece{Text: Line(string(tail))})
	}
	return pieces
}

// HowEnded says in the card's own words how an ask ended that no person answered:
// "denied: no one answered in time".
func HowEnded(a ask.Ask) string {
	if text, ok := endTexts[a.Cause]; ok {
		return text
	}
	return "denied: the answer could not be recorded"
}

// endTexts say how an ask ended that no person answered.
var endTexts = map[ask.Cause]string{
	ask.CauseTimeout:     "denied: no one answered in time",
	ask.CauseCardChanged: "cancelled: someone changed its approval card",
	ask.CauseInterrupt:   "cancelled: the session was interrupted",
	ask.CauseForkExit:    "cancelled: its fork has ended",
	ask.CauseClear:       "cancelled: the session was cleared",
	ask.CauseCaller:      "cancelled: the client stopped waiting",
	ask.CauseNoSurface:   "denied: it could not be shown to anyone",
	ask.CausePaused:      "denied: the session was paused",
	ask.CauseStopped:     "denied: the session was stopped",
	ask.CauseFlood:       "denied: too many asks wait",
}

// Unheard says of an approval that no client was there to take it; empty where one was.
func Unheard(a ask.Ask) string {
	if a.State != ask.Approved || !a.Away || !a.UsedAt.IsZero() {
		return ""
	}
	return ClientGone
}

// ClientGone says after an approval that no client waits for it.
const ClientGone = "its client is not connected: the approval counts if the same call comes back in time"
