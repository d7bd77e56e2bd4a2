package card

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Entry is an ask on one line of a card that has several. Its texts are safe to show, as
// those of a Card.
type Entry struct {
	ID string
	// Row is the headline with the whole call behind it; the call is cut visibly where Alone
	// says that it has no room. One that warns begins with "Careful:", see Card.Careful.
	Row Row
	// Does says what the call changes or reaches.
	Does []Row
	// Alone says why only an answer of its own approves it; empty where an approval of the
	// whole list reaches it as well.
	Alone string
}

// maxOnLine bounds a piece of a call on a line, maxDoes all that it does, in characters.
const (
	maxOnLine = 160
	maxDoes   = 240
)

// EntryOf puts an ask on a line. A call that a line does not show whole needs its own card.
// RATIONALE.md, "Which asks may one tap approve together?".
func EntryOf(a ask.Ask) Entry {
	c := Render(a, time.Time{})
	l := Entry{ID: c.ID, Does: c.Does}
	row, whole := onLine(a, c)
	if !whole {
		row = cutRow(a)
	}
	if l.Row = row; !c.Careful.Empty() {
		l.Row = Row{Pieces: append([]Piece{strong("Careful:"), own(" ")}, row.Pieces...), Warn: true}
	}
	special := slices.ContainsFunc(c.Why, func(r Row) bool { return r.Warn })
	switch why := a.NeedsOwnAnswer(ask.Answer{Verdict: ask.Approve, Together: 1}); {
	case why != "":
		l.Alone = why
	case a.Approvers.NobodyApproves(a.User):
		l.Alone = "nobody may approve it"
	case len(c.Changed) > 0:
		l.Alone = "it changed after it was approved"
	case c.Odd != "":
		l.Alone = "some of its letters look like others"
	case special:
		l.Alone = "its card says more"
	case !whole:
		l.Alone = "a line has no room for the whole call"
	}
	return l
}

// onLine is the headline with the rest of the call, and whether a line has room for all of it.
func onLine(a ask.Ask, c Card) (Row, bool) {
	row := Row{Pieces: slices.Clone(c.Headline.Pieces)}
	whole := a.Input != nil && !a.LongInput()
	for _, p := range c.Call {
		if strings.Contains(p.Text, "\n") || utf8.RuneCountInString(p.Text) > maxOnLine {
			return row, false
		}
		switch {
		case p.Gap:
			row.Pieces = append(row.Pieces, own(" ("+p.Text+")"))
		case p.Name == "":
			row.Pieces = append(row.Pieces, own(" "), Piece{Text: p.Text})
		default:
			row.Pieces = append(row.Pieces, own(" · "), Piece{Text: p.Name}, own(": "), Piece{Text: p.Text})
		}
	}
	size := 0
	for _, r := range c.Does {
		for _, p := range r.Pieces {
			whole = whole && !IsCut(p.Text)
			size += utf8.RuneCountInString(p.Text)
		}
	}
	return row, whole && size <= maxDoes
}
