package card

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// Card is an ask as a person sees it. All its texts are safe to show: they went
// through Visible or Line.
type Card struct {
	ID    string
	Title string
	// Fields are in the order in which they are shown.
	Fields []Field
	// Choices are the approvals, then the denials; see the function Choices.
	Choices []Choice
	// Confirm says why an approval needs a second confirmation; empty when it
	// needs none.
	Confirm string
}

// Field is one thing that a card says.
type Field struct {
	Name string
	// Value has several lines when Block is set.
	Value string
	Block bool
	// Module marks the words of a tool module, which nobody has checked.
	Module bool
	// Warn marks what the person should not overlook.
	Warn bool
	// Pieces are Value in order, with the card's own words apart; none means that all
	// of Value is somebody else's.
	Pieces []Piece
}

// Piece is a part of a value.
type Piece struct {
	Text string
	// Own marks words of the card's own, in which nothing of a call, a rule, a module or
	// a file stands.
	Own bool
}

func own(text string) Piece { return Piece{Text: text, Own: true} }

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
	headBytes   = 1500
	tailBytes   = 500
	headLines   = 30
	tailLines   = 10
	maxField    = 600
	digestShown = 12
)

// Render makes the card of an ask as it stands at now.
func Render(a ask.Ask, now time.Time) Card {
	c := Card{ID: Line(a.ID), Title: title(a)}
	c.add(stateFields(a, now)...)
	c.add(
		Field{Name: "approvers", Value: approversText(a)},
		nobodyField(a),
		Field{Name: "votes", Value: short(a.Progress())},
	)
	for _, line := range a.Changed {
		c.add(Field{Name: "changed since you approved", Value: short(line), Warn: true})
	}
	c.add(inputFields(a)...)
	c.add(
		Field{Name: "cwd", Value: short(a.CWD)},
		Field{Name: "agent", Value: agentText(a)},
		Field{Name: "session", Value: short(a.Session) + kindText(a.Kind)},
		Field{Name: "user", Value: short(a.User)},
	)
	c.add(Targets(a)...)
	c.add(
		Field{Name: "action", Value: short(a.Action)},
		Field{Name: "digest", Value: digestText(a)},
		Field{Name: "MCP server", Value: short(a.Decision.Server)},
	)
	c.add(Why(a)...)
	c.Choices = Choices(a)
	if a.State == ask.Shown && !a.Approvers.NobodyApproves(a.User) {
		c.Confirm = confirmText(a)
	}
	return c
}

// add appends the fields that say something.
func (c *Card) add(fields ...Field) {
	for _, f := range fields {
		if f.Value != "" {
			c.Fields = append(c.Fields, f)
		}
	}
}

// title begins with a word of ours: a tool could be called "cwd:".
func title(a ask.Ask) string {
	if a.State.Waiting() {
		return "Call of " + short(a.Tool) + ": may it run?"
	}
	return "Call of " + short(a.Tool)
}

// stateFields say how the ask ended, or how long it can still be answered.
func stateFields(a ask.Ask, now time.Time) []Field {
	switch {
	case a.State == ask.Queued:
		return []Field{{Name: "state", Value: "queued: it is shown when the one before it is answered"}}
	case a.State == ask.Shown && a.Deadline.IsZero():
		return nil
	case a.State == ask.Shown:
		left := max(0, a.Deadline.Sub(now)).Round(time.Second)
		return []Field{{Name: "expires", Value: fmt.Sprintf("in %v, at %s; then it is denied", left, clock(a.Deadline))}}
	}
	return []Field{{Name: "state", Value: endText(a)}, reasonField(a)}
}

// approversText says who may answer, while that can still be done.
func approversText(a ask.Ask) string {
	if !a.State.Waiting() {
		return ""
	}
	return short(a.Approvers.String())
}

// WhyNobody says why nobody may approve an ask, where that is so.
const WhyNobody = "whoever triggered the call may not, and who that is, is not known (give the agent a user)"

// nobodyField tells that an ask can only be denied.
func nobodyField(a ask.Ask) Field {
	if !a.State.Waiting() || !a.Approvers.NobodyApproves(a.User) {
		return Field{}
	}
	return Field{Name: "nobody may approve this", Value: WhyNobody, Warn: true}
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// HowEnded says in the card's own words how an ask ended that no person answered:
// "denied: nobody answered in time".
func HowEnded(a ask.Ask) string {
	if text, ok := endTexts[a.Cause]; ok {
		return text
	}
	return "denied: the answer could not be recorded"
}

// endTexts say how an ask ended that no person answered.
var endTexts = map[ask.Cause]string{
	ask.CauseTimeout:     "denied: nobody answered in time",
	ask.CauseCardChanged: "cancelled: somebody changed the card that its approvers saw",
	ask.CauseInterrupt:   "cancelled: the session was interrupted",
	ask.CauseForkExit:    "cancelled: its fork has ended",
	ask.CauseClear:       "cancelled: the session was cleared",
	ask.CauseCaller:      "cancelled: the client stopped waiting",
	ask.CauseNoSurface:   "denied: it could not be shown to anyone",
	ask.CausePaused:      "denied: the session was paused",
	ask.CauseStopped:     "denied: the session was stopped",
	ask.CauseFlood:       "denied: too many asks wait",
}

func endText(a ask.Ask) string {
	text := HowEnded(a)
	if a.Cause == ask.CauseTimeout {
		text += a.Unreachable()
	}
	if answer := a.Answer; answer != nil {
		text = "denied by " + short(answer.By)
		if a.State == ask.Approved {
			text = "approved by " + short(a.DecidedBy())
		}
		if answer.Surface != "" {
			text += " in " + short(answer.Surface)
		}
		if a.Cause == ask.CauseSettled {
			text += ", with a rule accepted on another card"
		}
	}
	if !a.EndedAt.IsZero() {
		text += " at " + clock(a.EndedAt)
	}
	return text
}

func reasonField(a ask.Ask) Field {
	if a.Answer == nil {
		return Field{}
	}
	return Field{Name: "reason", Value: shortened(a.Answer.Reason, Prose)}
}

func kindText(k engine.Kind) string {
	if k == "" || k == engine.Main {
		return ""
	}
	return " (" + short(strings.ReplaceAll(string(k), "_", " ")) + ")"
}

// agentText names the agent, and the sub-agent as its client calls it.
func agentText(a ask.Ask) string {
	if a.SubAgent == "" {
		return short(a.Agent)
	}
	return short(a.Agent) + ", sub-agent " + short(a.SubAgent)
}

// digestText is the digest's beginning, or all of it where it has to vouch for
// what the card does not show.
func digestText(a ask.Ask) string {
	if a.Long() || len(a.Digest) <= digestShown {
		return short(a.Digest)
	}
	return Line(a.Digest[:digestShown])
}

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
