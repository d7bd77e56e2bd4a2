package message

import (
	"fmt"
	"strings"
)

const (
	// endBytes is how much of a long input is looked at for its ends.
	endBytes = 32 << 10
	// roomAround bounds what stands around a long input.
	roomAround = 450
)

// shortBody is a body that has no room for everything, and says so.
func shortBody(c call, says string) string {
	before, after, _ := around(c, roomShort)
	before = fitLines(before, roomAround/2)
	after = fitLines(after, roomAround-Units(before))
	tail := join(after, says, digestLine(c.Ask))
	head := c.card.Headline
	if !c.LongInput() {
		head.Pieces = head.Pieces[:1] // the subject stands in the input
	}
	headline, _ := rowText(roomShort, head)
	if !c.LongInput() && c.Input == nil {
		headline, _ = rowText(roomShort, c.card.Headline)
	}
	return join(before, headline, endsText(c, roomBody-Units(before)-Units(headline)-Units(tail)-3), tail)
}

// fitLines keeps as many lines as there is room for, and says how many it leaves out.
func fitLines(text string, room int) string {
	const note = "⚠ 1000 more lines of this are not shown here"
	if text == "" || Units(text) <= room {
		return text
	}
	var kept []string
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if room -= Units(l) + 1; room < len(note) {
			more := fmt.Sprintf("⚠ %s not shown here", plural(len(lines)-i, "more line of this is", "more lines of this are"))
			return join(join(kept...), more)
		}
		kept = append(kept, l)
	}
	return text
}

// endsText shows the two ends of an input in at most room units, or all of it.
func endsText(c call, room int) string {
	e := c.in.Ends(endBytes)
	label := "the whole input\n"
	if e.Name != "" {
		name, _ := clip(e.Name, roomName)
		label = inline(name) + "\n"
	}
	// Two fences, the line between them, and line feeds that turn into escapes.
	const around = 2*len("```\n\n```") + len("\n1000000000 characters are not shown here\n") + 80
	room -= Units(label)
	front := thirdBacktick.Replace(e.Front)
	if e.Gap == 0 && Units(front) <= room-around {
		return label + fenced(e.Front)
	}
	back := thirdBacktick.Replace(e.Back)
	head, gap, tail := ends(front+back, room-around)
	if e.Gap > 0 {
		head, gap, tail = farEnds(front, back, e.Gap, room-around)
	}
	return label + fenced(head) + fmt.Sprintf("\n⚠ **%s not shown here**\n", plural(gap, "character is", "characters are")) + fenced(tail)
}

// farEnds is ends for a text of which only the two ends are at hand.
func farEnds(first, last string, between, room int) (head string, gap int, tail string) {
	head = front(first, room*2/3)
	tail = back(last, room-room*2/3)
	gap = between + characters(first[len(head):]) + characters(last[:len(last)-len(tail)])
	return head, gap, tail
}
