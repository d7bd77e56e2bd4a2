package card

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Card is the one model of an ask as a person sees it: Discord, the terminal and every
// other surface draw it, in this order, and none lays an ask out by itself. All its texts
// are safe to show: they went through Visible, Line or Prose. RATIONALE.md, "Why is there
// one model of a card?".
type Card struct {
	ID string
	// Ended is all that is drawn once the ask has ended, in two rows: the outcome, then the
	// call. None while it waits.
	Ended []Row
	// Careful warns of a safety check, with its reason, before anything else.
	Careful Row
	// Changed tells, after an approval that did not hold, what differs.
	Changed []Row
	// Headline says what would happen: a verb, and what it is done to.
	Headline Row
	// Call is the rest of the input, in the order in which it is read.
	Call []Part
	// Does says what the call changes or reaches, relative to the project.
	Does []Row
	// Odd warns of letters that are not what they look like.
	Odd string
	// Why says what is special about the ask; nothing for an ask of the mode.
	Why []Row
	// Who is the agent, its tool and its place.
	Who Row
	// Session is the beginning of the session.
	Session string
	// Until says until when it can be answered; empty where it waits for ever, or no more.
	Until string
	// Asked are who may answer and who has, and what has to be said of that.
	Asked []Row
	// Choices are the approvals, then the denials; see the function Choices.
	Choices []Choice
	// Confirm says why an approval needs a second confirmation; empty when it
	// needs none.
	Confirm string

	in Input
}

// Input is the ask's input, taken apart.
func (c Card) Input() Input { return c.in }

// Row is one line of a card.
type Row struct {
	Pieces []Piece
	// Warn marks what the person should not overlook.
	Warn bool
	// Small marks what matters less.
	Small bool
}

// Empty reports whether there is no line.
func (l Row) Empty() bool { return len(l.Pieces) == 0 }

// Part is a piece of the call.
type Part struct {
	// Name is the parameter's; empty where the headline says what the text is.
	Name string
	// JSON tells that Text is laid out as JSON and is not a text by itself.
	JSON bool
	Text string
	// Block wants lines of its own; Small matters less than the headline's subject.
	Block, Small bool
	// Gap tells that Text is the card's own: how much of the call is not shown here.
	Gap bool
}

// Field is one thing that a card says behind "details".
type Field struct {
	Name  string
	Value string
	// Module marks the words of a tool module, which nobody has checked.
	Module bool
}

// Piece is a part of a value.
type Piece struct {
	Text string
	// Own marks words of the card's own, in which nothing of a call, a rule, a module or
	// a file stands; Strong are the words of them that a glance should find.
	Own, Strong bool
	// People are those whom Text names, for a surface that knows their accounts; At is the
	// time that Text says, for one that draws times in the reader's zone.
	People []string
	At     time.Time
}

func own(text string) Piece { return Piece{Text: text, Own: true} }

func strong(text string) Piece { return Piece{Text: text, Own: true, Strong: true} }

// theirs is a text of somebody else on one line, shortened where it is very long.
func theirs(text string) Piece { return Piece{Text: short(text)} }

// join is what the pieces say together.
func join(pieces []Piece) string {
	var out strings.Builder
	for _, p := range pieces {
		out.WriteString(p.Text)
	}
	return out.String()
}

// The bounds of what a card shows of a long text, in bytes of the text itself.
const (
	headBytes = 1500
	tailBytes = 500
	headLines = 30
	tailLines = 10
	maxField  = 600
)

// Render makes the card of an ask as it stands at now.
func Render(a ask.Ask, now time.Time) Card {
	in := InputOf(a)
	at := placeOf(a)
	c := Card{
		ID: Line(a.ID), Careful: careful(a), Does: does(a, in, at), Why: special(a), Who: who(a, at),
		Session: ShortSession(a.Session), Until: until(a, now), Choices: Choices(a), in: in,
	}
	for _, change := range a.Changed {
		c.Changed = append(c.Changed, Row{Pieces: []Piece{strong("changed since you approved:"), own(" "), theirs(change)}, Warn: true})
	}
	if a.Input != nil {
		c.Odd = in.Letters()
	}
	c.Headline, c.Call = headline(a, in, at)
	c.Asked = asked(a)
	if a.State != "" && !a.State.Waiting() {
		c.Ended = []Row{Joined(Outcome(a, nil)), CallRow(a)}
	}
	if a.State == ask.Shown && !a.Approvers.NobodyApproves(a.User) {
		c.Confirm = confirmText(a)
	}
	return c
}

// until says how long the ask can still be answered.
func until(a ask.Ask, now time.Time) string {
	switch {
	case a.State == ask.Queued:
		return "queued: it is shown when the one before it is answered"
	case a.State != ask.Shown || a.Deadline.IsZero():
		return ""
	}
	return fmt.Sprintf("ends in %v, at %s", max(0, a.Deadline.Sub(now)).Round(time.Second), clock(a.Deadline))
}

// asked says who may answer, who has, and what else has to be said of that.
func asked(a ask.Ask) []Row {
	var lines []Row
	add := func(l Row, text string) {
		if text != "" {
			l.Pieces = append(l.Pieces, theirs(text))
			lines = append(lines, l)
		}
	}
	if a.State.Waiting() {
		add(Row{Pieces: []Piece{own("approvers: ")}, Small: true}, a.Approvers.String())
		if a.Approvers.NobodyApproves(a.User) {
			lines = append(lines, Row{Pieces: []Piece{strong("No one may approve this:"), own(" " + WhyNobody)}, Warn: true})
		}
	}
	if a.State.Waiting() && a.Away {
		lines = append(lines, Row{Pieces: []Piece{own(ClientAway)}, Warn: true})
	}
	add(Row{Pieces: []Piece{own("votes: ")}}, a.Progress())
	if a.State == ask.Shown && len(FolderChoices(a)) > 0 && !a.Approvers.NobodyApproves(a.User) {
		lines = append(lines, Row{Pieces: FolderQuestion(a)})
	}
	return lines
}

// ClientAway says before the answer that no client waits for it.
const ClientAway = "its client is not connected: the answer counts if it asks again in time"

// WhyNobody says why nobody may approve an ask, where that is so.
const WhyNobody = "the person who triggered the call may not, and that person is unknown (set user for the agent)"

// FolderQuestion is what a card asks about its folder.
func FolderQuestion(a ask.Ask) []Piece {
	return []Piece{strong("Trust the project folder?"), own(" "), {Text: Line(a.Folder.Path)}}
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// IsCut reports whether a value of a card leaves out the middle of its text.
func IsCut(value string) bool { return strings.Contains(value, bytesNotShown) }

const bytesNotShown = " bytes not shown" + string(closeMark)

// short is a text on one line; of one beyond maxField bytes it shows the head
// and the tail and says how many bytes are in between.
func short(text string) string { return shortened(text, Line) }

func shortened(text string, line func(string) string) string {
	if len(text) <= maxField {
		return line(text)
	}
	head, gap, tail := cut(text, maxField*2/3, maxField/3)
	return line(head) + fmt.Sprintf(" %c%d%s ", openMark, gap, bytesNotShown) + line(tail)
}

// cut takes at most headSize bytes from the front of a text and tailSize from
// its back, without dividing a character.
func cut(text string, headSize, tailSize int) (head string, gap int, tail string) {
	head = text[:boundary(text, min(headSize, len(text)))]
	tail = text[boundary(text, max(len(text)-tailSize, len(head))):]
	return head, len(text) - len(head) - len(tail), tail
}

// boundary moves i back to the start of a character, if there is one near.
func boundary(text string, i int) int {
	for back := range 4 {
		if j := i - back; j <= 0 || j >= len(text) || text[j]&0xC0 != 0x80 {
			return max(0, j)
		}
	}
	return i
}
