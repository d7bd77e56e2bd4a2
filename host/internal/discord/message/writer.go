package message

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// writer builds a line or several of our words and of code, and remembers whether
// something of the code was left out.
type writer struct {
	out strings.Builder
	// limit bounds each code in units; 0 means no bound.
	limit int
	// cut tells that something was left out.
	cut bool
}

// own writes words of ours.
func (w *writer) own(text string) { w.out.WriteString(text) }

// raw writes somebody else's text as inline code.
func (w *writer) raw(text string) { w.safe(card.Line(text)) }

// safe is raw for a text that card made safe.
func (w *writer) safe(text string) {
	text = strings.ReplaceAll(text, "`", backtick)
	w.cut = w.cut || card.IsCut(text)
	if w.limit > 0 {
		short, whole := clip(text, w.limit)
		w.cut = w.cut || !whole
		text = short
	}
	w.out.WriteString(inline(text))
}

// pieces writes a row of a card.
func (w *writer) pieces(list []card.Piece) {
	for _, p := range list {
		switch {
		case p.Strong:
			w.own("**" + p.Text + "**")
		case len(p.People) > 0:
			w.own(whoTexts(p.People, roomDecider))
		case !p.At.IsZero():
			w.own(fmt.Sprintf("<t:%d:f>", p.At.Unix()))
		case p.Own:
			w.own(p.Text)
		default:
			w.safe(p.Text)
		}
	}
}

func (w *writer) String() string { return w.out.String() }

// line is what write writes with a bound of limit on each code, and whether that is all.
func line(limit int, write func(*writer)) (text string, whole bool) {
	w := writer{limit: limit}
	write(&w)
	return w.String(), !w.cut
}
