package message

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// The rooms of a card's parts, in units. Head, body and what is left of MaxContent are
// disjoint, and an ended card puts how it ended where the head and the rest were.
const (
	roomHead  = 400
	roomBody  = 1300
	roomName  = 64  // of an agent, a sub-agent, a session
	roomRest  = 300 // kept free of rules, for what else stands below the body
	roomShort = 100 // of a code on a card that has no room for all
)

var plainID = regexp.MustCompile(`^[0-9a-z]{1,24}$`)

// title is a word of ours and the ask's id, in bold.
func title(word string, a ask.Ask) string {
	if plainID.MatchString(a.ID) {
		return "**" + word + " " + a.ID + "**"
	}
	name, _ := clip(card.Line(a.ID), roomName)
	return "**" + word + "** " + inline(name)
}

// agentWord begins what context says: contextLine is how a line of it begins. No other
// line outside code does.
const (
	agentWord   = "agent "
	contextLine = agentWord + "`"
)

// context says which agent in which session calls, and why a person is asked, in at most
// room units.
func context(a ask.Ask, room int) (text string, whole bool) {
	text, whole = line(roomName, func(w *writer) {
		w.own(agentWord)
		w.raw(a.Agent)
		if a.SubAgent != "" {
			w.own(" / ")
			w.raw(a.SubAgent)
		}
		w.own(" · session ")
		w.safe(shortSession(a.Session))
		switch a.Kind {
		case "", engine.Main:
		case engine.InteractiveFork:
			w.own(" (interactive fork)")
		case engine.Background:
			w.own(" (background)")
		default:
			w.own(" ")
			w.raw(string(a.Kind))
		}
	})
	why, all := because(a, room-Units(text)-len(" · "))
	if why != "" {
		text += " · " + why
	}
	return text, whole && all
}

// A session of more than maxSession characters stands with its first in the line that
// notifications show, so that a phone has room for what is asked.
const (
	maxSession   = 16
	shownSession = 8
)

// shortSession is a session in safe text. Only one that is shortened ends with an ellipsis.
func shortSession(session string) string {
	if !longSession(session) {
		return strings.ReplaceAll(card.Line(session), ellipsis, "‹U+2026›")
	}
	at := 0
	for range shownSession {
		_, size := utf8.DecodeRuneInString(session[at:])
		at += size
	}
	return strings.ReplaceAll(card.Line(session[:at]), ellipsis, "‹U+2026›") + ellipsis
}

const ellipsis = "…"

func longSession(session string) bool { return utf8.RuneCountInString(session) > maxSession }

// because says why it asks, in at most room units; empty when not even that fits.
func because(a ask.Ask, room int) (text string, whole bool) {
	fields := card.Why(a)
	if len(fields) == 0 {
		return "", true
	}
	for _, limit := range []int{0, 4 * roomShort, 2 * roomShort, roomShort, roomName} {
		text, whole = line(limit, func(w *writer) { w.field(fields[0]) })
		if Units(text) <= room {
			return text, whole
		}
	}
	return "", false
}

// head is the first line of a card that waits.
func head(a ask.Ask) (text string, whole bool) {
	text = title("Approval", a) + " · "
	expires := ""
	if !a.Deadline.IsZero() {
		expires = fmt.Sprintf(" · expires <t:%d:R>", a.Deadline.Unix())
	}
	about, whole := context(a, roomHead-Units(text)-Units(expires))
	return text + about + expires, whole
}
