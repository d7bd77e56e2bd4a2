package message

import (
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

const (
	roomDecider = 120
	roomReason  = 200 // of the words of a denial, and of a stored rule
	roomPiece   = 150 // of a piece of the row about the call
	roomCall    = 700 // of the row about the call
	maxNotes    = 3
)

// End is what an ended card says besides its ask.
type End struct {
	// Call is the row about the call, of CallLine or CallOf.
	Call string
	// Rules are those that the answer stored.
	Rules []engine.Rule
	// Notes are sentences of ours, at most three of them are shown.
	Notes []string
	// Done are the lines of Done about asks that were on the list.
	Done []string
}

// Ended is what becomes of a card when its ask has ended: two lines, who answered what with
// which rules and how they are taken back, then the call. Below stand the other asks that were
// on its list, a line each. Nothing can be clicked any more.
func Ended(a ask.Ask, end End) Message {
	call := end.Call
	if call == "" || strings.Contains(call, "\n") || Units(call) > roomCall {
		call = small + "the call is in the audit"
	}
	room := MaxContent - Units(call) - 2
	if n := len(end.Done); n > 0 {
		room -= Units(moreDone(n)) + 1
	}
	var clauses []string
	add := func(text string) {
		if text != "" && Units(text)+len(between) <= room {
			clauses = append(clauses, text)
			room -= Units(text) + len(between)
		}
	}
	for _, r := range card.Outcome(a, end.Rules) {
		text, _ := rowText(roomReason, r)
		add(text)
	}
	if len(end.Rules) > 0 {
		add(takeBack(a))
	}
	var said []string
	for _, text := range end.Notes {
		if len(said) < maxNotes && text != card.Unheard(a) && !slices.Contains(said, text) {
			said = append(said, text)
			add(strings.TrimPrefix(note(text), small))
		}
	}
	return Message{
		Content: below(join(strings.Join(clauses, between), call), end.Done, MaxContent, moreDone), Components: []discordgo.MessageComponent{},
		AllowedMentions: nobody(), Flags: discordgo.MessageFlagsSuppressEmbeds,
	}
}

// between stands between the clauses of a row.
const between = " · "

// CallLine is the row about a call on its ended card. Files tells that the card has the whole
// call attached.
func CallLine(a ask.Ask, files bool) string {
	text, _ := rowText(roomPiece, card.CallRow(a))
	if files {
		text += attached
	}
	return text
}

// attached ends a row about a call whose card has files. A text of a call stands in code and
// ends with a backtick.
const attached = between + "call.txt has it whole"

// Attaches reports whether a row of CallLine speaks of files that are attached. A store may
// still hold the whole text of a card that an earlier version posted.
func Attaches(call string) bool {
	return strings.HasSuffix(call, attached) || strings.Contains("\n"+call, "\n"+attachedLine)
}

// Detached is a row of CallLine whose card has lost its files.
func Detached(call string) string { return strings.TrimSuffix(call, attached) }

// CallOf finds the row about the call and the lines below it in the content of an ended card,
// as Discord keeps it.
func CallOf(content string) (call string, done []string) {
	lines := strings.Split(content, "\n")
	if len(lines) < 2 {
		return "", nil
	}
	return lines[1], lines[2:]
}

// takeBack says how the rules of an approval are taken back.
func takeBack(a ask.Ask) string {
	if a.Answer != nil && a.Answer.Surface == inDiscord {
		return "take back: Undo, or /allow with a minus before it"
	}
	return "take back: /allow with a minus before it"
}

// inDiscord is the name of the surface in answers.
const inDiscord = "discord"

// moreDone counts the lines that have no room. One of an earlier card counts again.
func moreDone(n int) string {
	return small + plural(n, "more ask of the list was", "more asks of the list were") + " answered: see the audit"
}
