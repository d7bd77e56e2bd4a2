package convert

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// words name the outcomes for people.
var words = map[Outcome]string{Carried: "carried", Tighter: "tighter", Weaker: "WEAKER", LeftOut: "left out"}

// Text writes the report for people: a line for each entry, with its result and the reason below
// it.
func (r *Report) Text() string {
	var w strings.Builder
	for _, e := range r.Entries {
		line := "-"
		if e.Line > 0 {
			line = fmt.Sprint(e.Line)
		}
		fmt.Fprintf(&w, "%5s  %-8s  %s\n", line, words[e.Outcome], card.Line(e.Source))
		for _, b := range e.Becomes {
			fmt.Fprintf(&w, "                 -> %s\n", card.Line(b))
		}
		for _, n := range e.Notes {
			fmt.Fprintf(&w, "                 %s\n", card.Line(n))
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&w, "note: %s\n", n)
	}
	c := r.Counts()
	fmt.Fprintf(&w, "%d carried, %d tighter, %d weaker, %d left out\n", c[Carried], c[Tighter], c[Weaker], c[LeftOut])
	return w.String()
}
