package message

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// The rooms of a card's parts, in units. Body, the two lines below it and what is left of
// MaxContent are disjoint.
const (
	roomWho   = 400 // of the two lines of who and until when
	roomBody  = 1300
	roomName  = 64 // of an agent, a sub-agent, a session
	roomShort = 100
)

// title is a word of ours and the ask's id, in bold.
func title(word string, a ask.Ask) string {
	if card.PlainID(a.ID) {
		return "**" + word + " " + a.ID + "**"
	}
	name, _ := clip(card.Line(a.ID), roomName)
	return "**" + word + "** " + inline(name)
}

// who says which agent calls what where, in at most room units.
func (c call) who(room int) (text string, whole bool) {
	for _, limit := range []int{roomName, 30} {
		text, whole = rowText(max(limit, minClip), c.card.Who)
		if Units(text) <= room {
			return text, whole
		}
	}
	text, _ = line(minClip, func(w *writer) {
		w.own(small + card.AgentWord)
		w.raw(c.Agent)
	})
	return text, false
}

// until is the line of id, session and deadline.
func (c call) until() string {
	text, _ := line(0, func(w *writer) { // all of it is short
		w.own(small)
		if c.State == ask.Shown && !c.Deadline.IsZero() {
			w.own(fmt.Sprintf("ends <t:%d:R> · ", c.Deadline.Unix()))
		} else if c.State == ask.Queued {
			w.own("queued · ")
		}
		w.safe(card.Line(c.ID))
		w.own(" · session ")
		w.safe(c.card.Session)
	})
	return text
}
