package message

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// layBody shows everything, when it fits; shortBody is for when it does not.
func layBody(c call) (text string, whole bool) {
	if c.Long() {
		return "", false
	}
	before, after, whole := around(c, 0)
	headline, all := rowText(0, c.card.Headline)
	text = join(before, headline, partsText(c.card.Call), after)
	return text, whole && all && Units(text) <= roomBody && drawnLines(text) <= maxBodyLines
}

// The bounds of a body on a phone, in drawn lines: of a whole one, and of the two ends of a
// long input. RATIONALE.md, "How tall may a card be?".
const (
	maxBodyLines = 40
	maxHeadLines = 14
	maxTailLines = 7
	lineUnits    = 34 // what a phone has room for in a code block
)

// drawnLines is about how many lines a text takes on a phone.
func drawnLines(text string) int {
	n := 0
	for l := range strings.SplitSeq(text, "\n") {
		n += max(1, (Units(l)+lineUnits-1)/lineUnits)
	}
	return n
}

// join puts parts on lines of their own.
func join(parts ...string) string {
	var lines []string
	for _, p := range parts {
		if p != "" {
			lines = append(lines, p)
		}
	}
	return strings.Join(lines, "\n")
}

// below puts lines below a text, as many as fit into room units, and a line of more that counts
// the rest. The text and that line fit by themselves.
func below(text string, lines []string, room int, more func(n int) string) string {
	for i, one := range lines {
		rest := ""
		if n := len(lines) - i - 1; n > 0 {
			rest = more(n)
		}
		if Units(join(text, one, rest)) > room {
			return join(text, more(len(lines)-i))
		}
		text = join(text, one)
	}
	return text
}

// around is what stands before the call and after it. Each code is bounded by limit.
func around(c call, limit int) (before, after string, whole bool) {
	before, whole = rowsText(limit, append([]card.Row{c.card.Careful}, c.card.Changed...))
	after, all := rowsText(limit, c.card.Does)
	why, allWhy := rowsText(max(limit, 2*roomShort), c.card.Why)
	return before, join(after, c.warnings, why), whole && all && (allWhy || !c.Decision.Safety())
}

// rowsText draws rows, each on a line.
func rowsText(limit int, rows []card.Row) (text string, whole bool) {
	whole = true
	for _, r := range rows {
		one, all := rowText(limit, r)
		text, whole = join(text, one), whole && all
	}
	return text, whole
}

// rowText draws a row: words of ours as they are, every other text in code.
func rowText(limit int, r card.Row) (text string, whole bool) {
	return line(limit, func(w *writer) {
		switch {
		case r.Empty():
			return
		case r.Warn:
			w.own("⚠ ")
		case r.Small:
			w.own(small)
		}
		w.pieces(r.Pieces)
	})
}

// small begins small print.
const small = "-# "

// partsText draws the call: what needs lines of its own in blocks, the short rest in one
// line of small print.
func partsText(parts []card.Part) string {
	var out, mark string
	var short []string
	for _, p := range parts {
		name := ""
		if p.Name != "" {
			name = inline(p.Name)
		}
		if p.JSON {
			name += " JSON"
		}
		switch {
		case p.Gap:
			out = join(out, small+p.Text)
		case !p.Block:
			short = append(short, name+": "+inline(p.Text))
			if p.Small {
				mark = small
			}
		case p.Name == "":
			out = join(out, fenced(p.Text))
		default:
			out = join(out, name+"\n"+fenced(p.Text))
		}
	}
	if len(short) > 0 {
		return join(mark+strings.Join(short, " · "), out)
	}
	return out
}

// warn says what is odd about the call. What an action and targets repeat of the input is
// counted once, so that the number is the one that a person finds.
func (c call) warn() string {
	var out string
	if c.told > 0 {
		out = "⚠ " + plural(c.told, "character is invisible, reorders text or looks like others", "characters are invisible, reorder text or look like others") + ": shown as ‹U+…›"
	}
	if c.card.Odd != "" {
		out = join(out, "⚠ "+c.card.Odd)
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// digestLine vouches for what a card does not show.
func digestLine(a ask.Ask) string {
	text, _ := line(roomShort, func(w *writer) { w.raw(a.Digest) })
	return small + "digest " + text
}
